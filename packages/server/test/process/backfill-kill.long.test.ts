/**
 * The commands of the document about backfills, with a server that is killed while they run: real processes, real HTTP, and
 * PostgreSQL where there is one. Each activity gives its event, its sync and its engagement once. The clocks run faster, so that the leases of
 * the killed server take seconds.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHubspotSimulator, startSequencerSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type MovedClockServer, runServerCommandHere, startMovedClockServer } from '../support/processes.ts';

/** How much faster the servers' clocks run: a lease takes 3 s. */
const RATE = 5;
const ACTIVITIES = 400;
const HOUR_MS = 3_600_000;
const TOKEN = 'lemlist-key';
const databaseUrl = inject('databaseUrl');
const fileOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** The marked commands of the document, about the source of the test. */
async function readCommands(sourceId: number): Promise<string[][]> {
  const text = await readFile(fileOf('docs/sequencers/backfill.md'), 'utf8');
  const [, block = ''] = /<!-- a test runs these commands -->\n```sh\n(.*?)```/s.exec(text) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => (line.split(' < ')[0] ?? '').split(' ').slice(1))
    .map((words) => words.map((word) => (word === '7' ? String(sourceId) : word)));
}

describe('a backfill', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function place(): Promise<Record<string, string>> {
    if (databaseUrl === null) {
      const folder = await mkdtemp(join(tmpdir(), 'svc-backfill-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      return { SVC_DATA_DIR: join(folder, 'data') };
    }
    const database = await createTestDatabase(databaseUrl);
    cleanUps.push(() => database.drop());
    return { DATABASE_URL: database.url };
  }

  test(`${ACTIVITIES} activities, two SIGKILLs: each is written once`, async () => {
    const crm = await startHubspotSimulator();
    cleanUps.push(() => crm.close());
    const sequencer = await startSequencerSimulator();
    cleanUps.push(() => sequencer.close());
    const env = {
      ...(await place()),
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'error',
      SVC_HUBSPOT_URL: crm.url,
      SVC_LEMLIST_URL: sequencer.url,
    };
    const run = async (args: string[], input = '') => {
      const result = await runServerCommandHere(args, env, input);
      expect([args, result]).toMatchObject([args, { code: 0 }]);
      return result.stdout;
    };
    await run(['world', 'load', fileOf('fixtures/minimal-world.json')]);
    const clock = { receiverPort: 0, offsetMs: 0, rate: RATE, epochMs: Date.now() };
    const start = async (): Promise<MovedClockServer> => {
      const started = await startMovedClockServer(clock, env);
      cleanUps.push(() => started.stop('SIGKILL'));
      return started;
    };
    let server = await start();
    const added = JSON.parse(await run(['sources', 'add', '--connection', '1', '--platform', 'lemlist', '--json']));
    const sourceId: number = added.source.id;
    sequencer.activities.add(
      TOKEN,
      Array.from({ length: ACTIVITIES }, (_, index) => ({
        ...{ _id: `act_${index}`, type: 'emailsSent', leadEmail: `lead-${index}@example.org` },
        createdAt: new Date(clock.epochMs - 4 * HOUR_MS - index * 5 * HOUR_MS).toISOString(),
      })),
    );
    const [keys = [], dryRun = [], backfill = [], status = [], ...others] = await readCommands(sourceId);
    expect(others).toEqual([]);
    await run(keys, TOKEN);
    expect(await run(dryRun)).toContain(`${ACTIVITIES} events would be new, 0 received before`);

    const readRun = async () => {
      const { runs } = JSON.parse(await run([...status, '--json']));
      return runs[0];
    };
    // The first and the sixth call get no answer, so the server is killed at the beginning and when a part is stored.
    for (const callsBefore of [0, 4]) {
      sequencer.failNext(callsBefore, 'none');
      sequencer.failNext(1, 'hang');
      const hangingAt = sequencer.requests().length + callsBefore + 1;
      if (callsBefore === 0) await run([...backfill, '--no-wait']);
      else server = await start();
      await expect.poll(() => sequencer.requests().length, { timeout: 60_000 }).toBe(hangingAt);
      await server.stop('SIGKILL');
    }
    server = await start();
    const { counts } = await readRun();
    expect(counts.entries).toBeGreaterThan(0);
    expect(counts.entries).toBeLessThan(ACTIVITIES);
    await expect.poll(async () => (await readRun()).state, { timeout: 60_000 }).toBe('done');
    expect((await readRun()).counts).toMatchObject({ entries: ACTIVITIES, newEvents: ACTIVITIES, known: 0 });
    await expect.poll(() => crm.state().counts.engagements, { timeout: 60_000 }).toBeGreaterThanOrEqual(ACTIVITIES);

    const again = await run(backfill);
    expect(again).toContain(`0 new events, ${ACTIVITIES} received before`);
    expect(await run(status)).toContain('Dry run 1 of source');
    const { requests } = JSON.parse(
      await run(['requests', 'list', '--source', String(sourceId), '--limit', '1000', '--json']),
    );
    const outcomes = new Set(requests.map(({ outcome }: { outcome: string }) => outcome));
    expect([requests.length, outcomes]).toEqual([ACTIVITIES, new Set(['synced'])]);
    expect(crm.state().counts).toMatchObject({ engagements: ACTIVITIES });
  }, 120_000);
});
