import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type Database, DatabaseUnavailableError, type NamedStatement } from '@svc/engine/store/database/db';
import { createOfflinePaths } from './offline-paths.ts';

const FRESH_MS = 5_000;
const DAY_MS = 24 * 3_600_000;

async function start() {
  const state = {
    version: 'a',
    paths: ['known'],
    /** Statements fail, or get no answer. */
    trouble: null as 'away' | 'silent' | null,
    askedDirectly: [] as string[],
  };
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const query = async ({ name }: NamedStatement) => {
    if (state.trouble === 'away') throw new DatabaseUnavailableError('away');
    if (state.trouble === 'silent') return new Promise(() => {});
    const rows =
      name === 'ingest-sources-version'
        ? [{ version: state.version }]
        : state.paths.map((path, id) => ({ path, id, secrets: null, requiresSecret: false }));
    return { rows, rowCount: rows.length };
  };
  const paths = await createOfflinePaths({
    db: { query } as unknown as Database,
    clock,
    secrets: createSecretBox([generateEncryptionKey()]),
    log: pino({ level: 'silent' }),
    direct: {
      async find(path) {
        state.askedDirectly.push(path);
        if (state.trouble !== null) throw new DatabaseUnavailableError('away');
        return null;
      },
      forget() {},
    },
  });
  return { paths, clock, state };
}

test('notices within five seconds that a source was added or removed', async () => {
  const { paths, clock, state } = await start();
  expect(await paths.find('known')).toEqual({ id: 0, secrets: [] });
  Object.assign(state, { version: 'b', paths: ['added'] });
  clock.advance(FRESH_MS);
  expect(await paths.find('added')).toEqual({ id: 0, secrets: [] });
  expect(await paths.find('known')).toBeNull();
  expect(state.askedDirectly).toEqual(['known']);
});

test('knows the sources for a day without the database, and cannot judge other paths', async () => {
  const { paths, clock, state } = await start();
  state.trouble = 'away';
  for (const ms of [FRESH_MS, DAY_MS - FRESH_MS - 1]) {
    clock.advance(ms);
    expect(await paths.find('known')).toEqual({ id: 0, secrets: [] });
    await expect(paths.find('unknown')).rejects.toThrow(DatabaseUnavailableError);
  }
  clock.advance(1);
  await expect(paths.find('known')).rejects.toThrow(DatabaseUnavailableError);
});

test('waits a second for a silent database, once', async () => {
  const { paths, clock, state } = await start();
  state.trouble = 'silent';
  clock.advance(FRESH_MS);
  let isFound = false;
  const finding = paths.find('known').then(() => (isFound = true));
  clock.advance(999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFound).toBe(false);
  clock.advance(1);
  await finding;
  expect(await paths.find('known')).toEqual({ id: 0, secrets: [] });
});

test('uses the database again when it is back', async () => {
  const { paths, clock, state } = await start();
  state.trouble = 'away';
  clock.advance(DAY_MS);
  await expect(paths.find('known')).rejects.toThrow(DatabaseUnavailableError);
  Object.assign(state, { trouble: null, version: 'b', paths: ['known', 'added'] });
  clock.advance(FRESH_MS);
  // The first post does not wait for the look.
  await paths.find('known');
  await new Promise((resolve) => setImmediate(resolve));
  expect(await paths.find('added')).toEqual({ id: 1, secrets: [] });
});
