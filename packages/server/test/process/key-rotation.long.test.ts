/** The encryption key is replaced by the steps of docs/operating.md while posts arrive and events are written. */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import {
  createSecretBox,
  generateEncryptionKey,
  SECRET_COLUMNS,
  type SecretKind,
} from '@svc/engine/secrets/secret-box';
import { listSealedSecrets, replaceSealedSecret } from '@svc/engine/secrets/stored-secrets.sql';
import { openPostgres } from '@svc/engine/store/database/postgres';
import {
  createTraffic,
  expectConserved,
  inboundPosts,
  pointTo,
  startLoadTargets,
  untilIdle,
} from '../support/event-load.ts';
import { runServerCommandHere, startServerProcess } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const WORLD = path.join(ROOT, 'fixtures', 'demo-world.json');
const TIMEOUT_MS = 480_000;
const databaseUrl = inject('databaseUrl');

/** What the numbered steps of the section name in code: values of `SVC_ENCRYPTION_KEY`, and commands. */
const STEPS = stepsOf('## Encryption keys');

function stepsOf(heading: string): string[] {
  const [, section = ''] = readFileSync(path.join(ROOT, 'docs', 'operating.md'), 'utf8').split(`${heading}\n`);
  const steps = section.split('\n## ')[0]?.matchAll(/^\d\. [^`]*`([^`]+)`/gm) ?? [];
  return [...steps].map(([, code = '']) => code);
}

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

let targets: Awaited<ReturnType<typeof startLoadTargets>>;
beforeAll(async () => {
  targets = await startLoadTargets(cleanUps);
});

test('the document names the steps', () => {
  expect(STEPS).toEqual(['OLD,NEW', 'NEW,OLD', 'svc-server secrets reencrypt', 'svc-server doctor']);
});

const run = async (args: string[], env: Record<string, string>, input = '') => {
  const { code, stdout, stderr } = await runServerCommandHere(args, env, input);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
};

async function keyCheck(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { stdout } = await runServerCommandHere(['doctor', '--json', ...args], env);
  const checks: { name: string; status: string }[] = JSON.parse(stdout).checks;
  return checks.find(({ name }) => name === 'encryption key')?.status ?? 'absent';
}

test.skipIf(databaseUrl === null)(
  'of two servers on PostgreSQL, one after another: every event is written, also with tokens stored in between',
  async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const db = openPostgres(database.url);
    cleanUps.push(() => db.close());
    const keys = { OLD: generateEncryptionKey(), NEW: generateEncryptionKey() };
    const envWith = (names: string) => ({
      ...targets.env,
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: names.replace('OLD', keys.OLD).replace('NEW', keys.NEW),
    });
    const start = async (names: string) => {
      const server = await startServerProcess(['--port', '0', '--world'], envWith(names));
      cleanUps.push(() => server.stop('SIGKILL'));
      return server;
    };
    await run(['world', 'load', WORLD], envWith('OLD'));
    const before = await pointTo(db, targets.destination.url);
    const first = [await start('OLD'), await start('OLD')];
    const traffic = createTraffic(await inboundPosts(20_000), first);
    await traffic.atLeast(50);

    const restart = async (names: string, between?: () => Promise<void>) => {
      for (const index of [0, 1]) {
        const [server] = traffic.servers.splice(0, 1);
        expect(await server?.stop()).toBe(0);
        traffic.servers.push(await start(names));
        await traffic.atLeast(50);
        if (index === 0) await between?.();
      }
    };
    const [toBoth = '', toNew = '', reencrypt = '', doctor = ''] = STEPS;
    await restart(toBoth);
    // One server encrypts with the new key while the other still has the old one first.
    await restart(toNew, async () => {
      const crm = [
        '--crm',
        'HUBSPOT',
        '--organization-id',
        '777',
        '--organization-domain',
        'example.com',
        '--no-check',
      ];
      await run(['connections', 'add', '--account', '1', ...crm], envWith(toNew), 'pat-eu1-not-a-token');
      const { rows } = await db.query<{ id: number }>('select max(id) as id from connections');
      const added = await run(['sources', 'add', '--connection', String(rows[0]?.id), '--platform', 'smartlead'], {
        ...envWith(toNew),
        SVC_SYNC_URL: 'http://127.0.0.1:9',
      });
      const source = added.trim().split('/').at(-1) ?? '';
      const some = traffic.posts.filter((post) => post.path === 'demo-smartlead' && post.body.includes('stats-'));
      traffic.posts.unshift(
        ...some.slice(-30).map((post) => ({ path: source, body: post.body.replace('stats-', 'late-') })),
      );
      await traffic.atLeast(60);
    });
    expect(await keyCheck([], envWith('NEW'))).toBe('FAIL');
    await run(reencrypt.split(' ').slice(1), envWith(toNew));
    await run(doctor.split(' ').slice(1), envWith(toNew)).catch((error: unknown) => {
      throw new Error('the doctor does not pass', { cause: error });
    });
    await restart('NEW');
    expect(await keyCheck([], envWith('NEW'))).toBe('PASS');
    expect(await keyCheck([], envWith('OLD'))).toBe('FAIL');

    const acknowledged = await traffic.end();
    await untilIdle(db);
    for (const server of traffic.servers) expect(await server.stop()).toBe(0);
    await expectConserved(db, {
      before,
      acknowledged,
      destination: targets.destination,
      simulatorUrl: targets.simulator.url,
    });
    expect((await db.query(`select from syncs where inbound_event_id is not null and status = 'error'`)).rowCount).toBe(
      0,
    );
  },
  TIMEOUT_MS,
);

/** Posts a reply of a lead to the demo's source, and returns the address of the lead. */
async function postReply(server: { url: string }, lead: string): Promise<string> {
  const email = `${lead}@example.org`;
  const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: email, stats_id: lead });
  expect((await fetch(`${server.url}/webhooks/demo-smartlead`, { method: 'POST', body })).status).toBe(200);
  return email;
}

async function secretsCheck(server: { url: string }): Promise<unknown[]> {
  const answer = await fetch(`${server.url}/health/ready`);
  return [answer.status, JSON.parse(await answer.text()).checks.secrets];
}

test.skipIf(databaseUrl === null)(
  'in the wrong order on PostgreSQL: refused; done nevertheless, a server with the new key writes what the other one lets wait',
  async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const db = openPostgres(database.url);
    cleanUps.push(() => db.close());
    const [OLD, NEW] = [generateEncryptionKey(), generateEncryptionKey()];
    const envWith = (keys: string) => ({ ...targets.env, DATABASE_URL: database.url, SVC_ENCRYPTION_KEY: keys });
    await run(['world', 'load', WORLD], envWith(OLD));
    const start = async (keys: string) => {
      const server = await startServerProcess(['--port', '0', '--world'], envWith(keys));
      cleanUps.push(() => server.stop('SIGKILL'));
      return server;
    };
    const syncsTo = async (email: string) =>
      (await db.query<{ status: string }>('select status from syncs where to_email = $1', [email])).rows;

    const server = await start(OLD);
    const refused = await runServerCommandHere(['secrets', 'reencrypt'], envWith(`${NEW},${OLD}`));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('1 of 1 running servers do not know the first key');
    const before = await postReply(server, 'before');
    await expect.poll(() => syncsTo(before)).toEqual([{ status: 'success' }]);

    // As a release does that asks no server.
    const both = createSecretBox([NEW, OLD]);
    for (const kind of Object.keys(SECRET_COLUMNS) as SecretKind[]) {
      for (const { id, sealed } of await listSealedSecrets(db, kind, { after: null, limit: 1_000 })) {
        const after = both.encrypt(both.decrypt(sealed, { kind, id }), { kind, id });
        await replaceSealedSecret(db, { kind, id }, { before: sealed, after });
      }
    }
    const after = await postReply(server, 'after');
    await expect.poll(() => secretsCheck(server)).toEqual([503, 'error']);
    expect(await syncsTo(after)).toEqual([]);
    const second = await start(`${NEW},${OLD}`);
    await expect.poll(() => syncsTo(after)).toEqual([{ status: 'success' }]);
    expect([await secretsCheck(server), await secretsCheck(second)]).toEqual([
      [503, 'error'],
      [200, 'ok'],
    ]);
    expect(await keyCheck([], envWith(`${NEW},${OLD}`))).toBe('FAIL');
    expect([await server.stop(), await second.stop()]).toEqual([0, 0]);
    expect(await keyCheck([], envWith(`${NEW},${OLD}`))).toBe('PASS');
  },
  TIMEOUT_MS,
);

describe('the key of the embedded database', () => {
  let data = '';
  let dir: readonly string[] = [];
  beforeAll(async () => {
    data = await mkdtemp(path.join(os.tmpdir(), 'svc keys '));
    cleanUps.push(() => rm(data, { recursive: true, force: true }));
    dir = ['--data-dir', data];
    await run(['world', 'load', WORLD, ...dir], targets.env);
  }, TIMEOUT_MS);

  test(
    'in the wrong order: the command is refused, and the running server goes on',
    async () => {
      const OLD = (await readFile(path.join(data, 'encryption.key'), 'utf8')).trim();
      const server = await startServerProcess(['--port', '0', '--world', ...dir], targets.env);
      cleanUps.push(() => server.stop('SIGKILL'));
      const both = { ...targets.env, SVC_ENCRYPTION_KEY: `${generateEncryptionKey()},${OLD}` };
      const refused = await runServerCommandHere(['secrets', 'reencrypt', ...dir], both);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('The running server does not know the first key of SVC_ENCRYPTION_KEY');
      const email = await postReply(server, 'embedded');
      const headers = { authorization: 'Bearer osapi_demo_read' };
      const list = async () => {
        const to = new Date(Date.now() + 60_000).toISOString();
        const from = new Date(Date.now() - 3_600_000).toISOString();
        const answer = await fetch(`${server.url}/api/v1/syncs?${new URLSearchParams({ from, to, email })}`, {
          headers,
        });
        return JSON.parse(await answer.text()).data.map(({ status }: { status: string }) => status);
      };
      await expect.poll(list).toEqual(['success']);
      expect(await secretsCheck(server)).toEqual([200, 'ok']);
      expect(await server.stop()).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'in the right order: the file takes the new key at the end',
    async () => {
      const file = path.join(data, 'encryption.key');
      const OLD = (await readFile(file, 'utf8')).trim();
      const NEW = generateEncryptionKey();
      const [, toNew = '', reencrypt = ''] = STEPS;
      const both = { ...targets.env, SVC_ENCRYPTION_KEY: toNew.replace('OLD', OLD).replace('NEW', NEW) };

      const server = await startServerProcess(['--port', '0', '--world', ...dir], both);
      cleanUps.push(() => server.stop('SIGKILL'));
      expect(await run([...reencrypt.split(' ').slice(1), ...dir], both)).toMatch(/^[1-9]\d* secrets re-encrypted/);
      expect(await keyCheck(dir, both)).toBe('PASS');
      expect(await server.stop()).toBe(0);

      expect(await keyCheck(dir, targets.env)).toBe('FAIL');
      await writeFile(file, `${NEW}\n`, { mode: 0o600 });
      expect(await keyCheck(dir, targets.env)).toBe('PASS');
      const again = await startServerProcess(['--port', '0', '--world', ...dir], targets.env);
      cleanUps.push(() => again.stop('SIGKILL'));
      expect((await fetch(`${again.url}/health/ready`)).status).toBe(200);
      expect(await again.stop()).toBe(0);
    },
    TIMEOUT_MS,
  );
});
