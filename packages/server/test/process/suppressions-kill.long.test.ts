/**
 * The commands of the document about block lists, and a server that is killed when it has stored opt-outs and not sent them: real
 * processes, real HTTP, both databases. Each opt-out of one sequencer is at both within two minutes, and is sent once unless its server was
 * killed.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHubspotSimulator, startSequencerSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { runServerCommandHere, startServerProcess } from '../support/processes.ts';

const TWO_MINUTES_MS = 120_000;
const databaseUrl = inject('databaseUrl');
const fileOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const leadsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, lead) => `${name}-${lead}@lead.example`);

/** The leads whose first calls hang, those that are posted when the server is killed, and those after that. */
const [FIRST, MIDDLE, LAST] = [leadsOf('first', 1), leadsOf('middle', 8), leadsOf('undisturbed', 3)];
const LEADS = [...FIRST, ...MIDDLE, ...LAST];
const KEYS = { smartlead: 'smartlead-key', lemlist: 'lemlist-key' };

interface JourneyStep {
  what: string;
  at: string;
}

/** The marked commands of the document. Each key file holds the key with the name of the file. */
async function readCommands(): Promise<{ args: string[]; input: string }[]> {
  const text = await readFile(fileOf('docs/sequencers/block-lists.md'), 'utf8');
  const blocks = [...text.matchAll(/<!-- a test runs these commands -->\n```sh\n(.*?)```/gs)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map((line) => {
    const [command = '', file = ''] = line.split(' < ');
    const [program, ...args] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    expect(program).toBe('svc-server');
    return { args, input: file.replace('.txt', '') };
  });
}

describe.each(['pglite', 'postgres'])('suppressions on %s', (backend) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function place(): Promise<Record<string, string>> {
    if (backend === 'pglite') {
      const folder = await mkdtemp(join(tmpdir(), 'svc-suppressions-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      return { SVC_DATA_DIR: join(folder, 'data') };
    }
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    return { DATABASE_URL: database.url };
  }

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${LEADS.length} opt-outs and a SIGKILL: each is at both sequencers within two minutes`,
    async () => {
      const crm = await startHubspotSimulator();
      cleanUps.push(() => crm.close());
      crm.createList({ listId: '88', name: 'Customers', objectType: 'contacts', members: ['customer@lead.example'] });
      const sequencer = await startSequencerSimulator();
      cleanUps.push(() => sequencer.close());
      const env = {
        ...(await place()),
        SVC_ENCRYPTION_KEY: generateEncryptionKey(),
        SVC_RATE_LIMIT: 'off',
        SVC_LOG_LEVEL: 'error',
        SVC_HUBSPOT_URL: crm.url,
        SVC_SMARTLEAD_URL: sequencer.url,
        SVC_LEMLIST_URL: sequencer.url,
      };
      const run = async (args: string[], input = '') => {
        const result = await runServerCommandHere(args, env, input);
        expect([args, result]).toMatchObject([args, { code: 0 }]);
        return result.stdout;
      };
      await run(['world', 'load', fileOf('fixtures/minimal-world.json')]);

      const start = async () => {
        const started = await startServerProcess(['--port', '0', '--world'], env);
        cleanUps.push(() => started.stop('SIGKILL'));
        return started;
      };
      let running = start();
      const kill = async () => {
        running = running.then((server) => server.stop('SIGKILL')).then(start);
        await running;
      };
      await running;
      const commands = await readCommands();
      expect(commands).toHaveLength(6);
      for (const { args, input } of commands) await run(args, input);

      const optOut = async (email: string) => {
        const body = JSON.stringify({ event_type: 'LEAD_UNSUBSCRIBED', to_email: email, stats_id: email });
        // A post that a killed server does not answer is sent again, as sequencers do.
        for (let status: number | null = null; status !== 200; ) {
          const { url } = await running;
          const headers = { 'content-type': 'application/json' };
          status = await fetch(`${url}/webhooks/minimal-smartlead`, { method: 'POST', headers, body })
            .then((answer) => answer.status)
            .catch(() => null);
        }
      };
      const entriesOf = (platform: keyof typeof KEYS) => sequencer.entries({ platform, token: KEYS[platform] });
      const sentOf = (lead: string) => sequencer.requests().filter(({ values }) => values.includes(lead)).length;
      const untilAllAreThere = async () => {
        await expect.poll(() => entriesOf('lemlist').length).toBe(LEADS.length);
        await expect.poll(() => entriesOf('smartlead').length).toBe(LEADS.length + 1);
      };
      // The list of customers is read first, so that its call is not the one that hangs.
      await expect.poll(() => entriesOf('smartlead')).toEqual(['customer@lead.example']);
      // The sequencers do not answer the first calls, so what follows waits behind them until the server is killed.
      sequencer.failNext(2, 'hang');
      for (const lead of FIRST) await optOut(lead);
      await expect.poll(() => FIRST.map(sentOf)).toEqual([2]);
      const posts = MIDDLE.map(optOut);
      await Promise.race(posts);
      await kill();
      await Promise.all(posts);
      for (const lead of LAST) await optOut(lead);
      await untilAllAreThere();

      expect(entriesOf('lemlist')).toEqual(LEADS);
      expect(entriesOf('smartlead')).toEqual(['customer@lead.example', ...LEADS]);
      for (const lead of LAST) expect([lead, sentOf(lead)]).toEqual([lead, 2]);
      for (const lead of LEADS) expect(sentOf(lead)).toBeLessThanOrEqual(4);
      const { blocklists } = JSON.parse(await run(['blocklists', 'list', '--json']));
      expect(blocklists).toMatchObject([
        { platform: 'smartlead', suppressions: { pushed: LEADS.length, waiting: 0, refused: 0, error: null } },
        { platform: 'lemlist', suppressions: { pushed: LEADS.length, waiting: 0, refused: 0, error: null } },
        { listName: 'Customers, Smartlead', suppressions: { pushed: 0, waiting: 0, refused: 0, error: null } },
      ]);
      for (const lead of LEADS) {
        const { timeline, blocked } = JSON.parse(await run(['person', 'show', lead, '--json']));
        expect(blocked).toMatchObject([{ state: 'blocked', reason: 'opt-outs' }, { state: 'blocked' }]);
        const timesOf = (wanted: string) =>
          timeline.flatMap(({ what, at }: JourneyStep) => (what === wanted ? Date.parse(at) : []));
        const storedMs = Math.min(...timesOf('received'));
        const [first = 0, second = 0] = timesOf('block list').map((atMs: number) => atMs - storedMs);
        for (const afterMs of [first, second]) {
          expect(afterMs).toBeGreaterThan(0);
          expect(afterMs).toBeLessThan(TWO_MINUTES_MS);
        }
      }
    },
  );
});
