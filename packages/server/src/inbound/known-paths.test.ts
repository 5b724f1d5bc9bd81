import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { StoredSourceSecret } from '@svc/engine/secrets/source-secrets';
import type { Database } from '@svc/engine/store/database/db';
import { createKnownPaths } from './known-paths.ts';

const box = createSecretBox([generateEncryptionKey()]);
const log = pino({ level: 'silent' });

interface Row {
  id: number;
  secrets: string | null;
  requiresSecret: boolean;
}

/** A database with sources of these paths; `asked` records what was looked up. */
function open(...paths: string[]) {
  const sources = new Map<string, Row>(
    paths.map((path, index) => [path, { id: index + 1, secrets: null, requiresSecret: false }]),
  );
  const asked: string[][] = [];
  const before = { answer: async () => {} };
  const version = { value: '0', reads: 0 };
  const query = async (statement: { name: string }, [wanted]: [string[]]) => {
    if (statement.name === 'source-secrets-version') {
      version.reads += 1;
      return { rows: [{ value: version.value }] };
    }
    asked.push(wanted);
    await before.answer();
    return { rows: wanted.flatMap((path) => (sources.has(path) ? [{ path, ...sources.get(path) }] : [])) };
  };
  const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
  const db = { query } as unknown as Database;
  const known = createKnownPaths({ db, clock, secrets: box, log });
  const has = async (path: string) => (await known.find(path)) !== null;
  return { known, has, clock, sources, asked, before, version };
}

function withSecret(id: number, secret: string, place = id): Row {
  const stored: StoredSourceSecret = { check: 'header', name: 'x-secret', secret, validUntil: null };
  const secrets = box.encrypt(JSON.stringify([stored]), { kind: 'source secret', id: place });
  return { id, secrets, requiresSecret: true };
}

test('looks a known path up once until it is evicted', async () => {
  const { known, has, clock, sources, asked } = open('a');
  expect(await has('a')).toBe(true);
  clock.advance(86_400_000);
  expect(await has('a')).toBe(true);
  expect(asked).toEqual([['a']]);
  sources.delete('a');
  known.forget('a');
  expect(await has('a')).toBe(false);
});

test('a clock that was set back delays neither new secrets nor new sources', async () => {
  const { known, has, clock, sources, version } = open('a');
  expect(await known.find('a')).toMatchObject({ secrets: [] });
  expect(await has('b')).toBe(false);
  sources.set('a', withSecret(1, 'new'));
  sources.set('b', { id: 2, secrets: null, requiresSecret: false });
  version.value = '1';
  clock.advance(-3_600_000);
  expect(await known.find('a')).toMatchObject({ secrets: [{ secret: 'new' }] });
  expect(await has('b')).toBe(true);
});

test('looks an unknown path up again after five seconds, so that a new source works', async () => {
  const { has, clock, sources, asked } = open();
  expect(await has('a')).toBe(false);
  sources.set('a', withSecret(1, 'new'));
  clock.advance(4_999);
  expect(await has('a')).toBe(false);
  expect(asked).toEqual([['a']]);
  clock.advance(1);
  expect(await has('a')).toBe(true);
});

test('looks concurrent paths up in one statement, and never runs two at once', async () => {
  const { has, asked, before } = open('b');
  const database = Promise.withResolvers<void>();
  before.answer = () => database.promise;
  const first = Promise.all(['a', 'b', 'a'].map((path) => has(path)));
  await expect.poll(() => asked).toEqual([['a', 'b']]);
  const second = Promise.all(['c', 'd'].map((path) => has(path)));
  database.resolve();
  expect([await first, await second]).toEqual([
    [false, true, false],
    [false, false],
  ]);
  expect(asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('does not cache a failed look-up', async () => {
  const { has, before } = open('a');
  before.answer = () => Promise.reject(new Error('away'));
  await expect(has('a')).rejects.toThrow('away');
  before.answer = async () => {};
  expect(await has('a')).toBe(true);
});

test('guessed paths neither fill the memory nor evict known ones', async () => {
  const { has, asked } = open('a');
  await has('a');
  await Promise.all(Array.from({ length: 10_001 }, (_, n) => has(`guess-${n}`)));
  asked.length = 0;
  await has('a');
  await has('guess-1');
  expect(asked).toEqual([]);
  await has('guess-0');
  expect(asked).toEqual([['guess-0']]);
});

describe('secrets', () => {
  test('are decrypted with the look-up; without any, posts need none', async () => {
    const { known, sources } = open('a');
    sources.set('b', withSecret(7, 'of b'));
    expect(await known.find('a')).toEqual({ id: 1, secrets: [] });
    expect(await known.find('b')).toMatchObject({ id: 7, secrets: [{ name: 'x-secret', secret: 'of b' }] });
  });

  test('that were changed by any process are noticed after five seconds, with one look for all posts', async () => {
    const { known, clock, sources, asked, version } = open('a', 'b');
    await known.find('a');
    sources.set('a', withSecret(1, 'new'));
    version.value = '1';
    clock.advance(4_999);
    expect(await known.find('a')).toMatchObject({ secrets: [] });
    clock.advance(1);
    const found = await Promise.all([known.find('a'), known.find('a'), known.find('b')]);
    expect(found.map((source) => source?.secrets?.map(({ secret }) => secret))).toEqual([['new'], ['new'], []]);
    expect(version.reads).toBe(2);
    expect(asked).toEqual([['a'], ['a', 'b']]);
  });

  test('that have not changed cost one small statement in five seconds', async () => {
    const { known, clock, asked, version } = open('a');
    for (let n = 0; n < 10; n += 1) {
      await known.find('a');
      clock.advance(1_000);
    }
    expect([version.reads, asked]).toEqual([2, [['a']]]);
  });

  test('that were read before a change are not cached', async () => {
    const { known, clock, sources, before, version } = open('a');
    await known.find('b');
    const database = Promise.withResolvers<void>();
    before.answer = () => database.promise;
    const old = known.find('a');
    await Promise.resolve();
    clock.advance(5_000);
    version.value = '1';
    const other = known.find('c');
    await expect.poll(() => version.reads).toBe(2);
    database.resolve();
    await Promise.all([old, other]);
    sources.set('a', withSecret(1, 'new'));
    expect(await known.find('a')).toMatchObject({ secrets: [{ secret: 'new' }] });
  });

  test('that cannot be decrypted, or were discarded, are null', async () => {
    const { known, sources } = open();
    sources.set('moved', withSecret(1, 'x', 2));
    sources.set('lost', { id: 2, secrets: null, requiresSecret: true });
    expect(await Promise.all(['moved', 'lost'].map((path) => known.find(path)))).toMatchObject([
      { secrets: null },
      { secrets: null },
    ]);
  });
});
