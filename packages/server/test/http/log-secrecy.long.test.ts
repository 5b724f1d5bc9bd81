/**
 * The log must not contain secrets or content. Every secret and payload gets a searchable marker; then everything that
 * can fail does, at the most verbose log level.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { type ReceiverSimulator, startReceiverSimulator } from '@svc/simulators';
import { type SequencerSimulator, startSequencerSimulator } from '@svc/simulators';
import { openPostgres } from '@svc/engine/store/database/postgres';
import {
  type FinishedProcess,
  runServerCommand,
  runServerCommandHere,
  startServerProcess,
} from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');

/** Values to search for, by what they are. */
function createMarkers() {
  const markers = new Map<string, string>();
  return {
    /** Creates a unique value and records it. */
    make(name: string): string {
      const value = `${name.replaceAll(' ', '')}${randomBytes(8).toString('hex')}`;
      markers.set(name, value);
      return value;
    },
    add(name: string, value: string): string {
      expect(value.length).toBeGreaterThan(12);
      markers.set(name, value);
      return value;
    },
    foundIn: (text: string) => [...markers].filter(([, value]) => text.includes(value)).map(([name]) => name),
    names: () => [...markers.keys()],
  };
}

describe.each(['embedded', 'PostgreSQL'])('the log with the %s database', { timeout: 400_000 }, (database) => {
  describe.skipIf(database === 'PostgreSQL' && databaseUrl === null)('of a server', () => {
    let dir: string;
    let crm: HubspotSimulator;
    let sequencer: SequencerSimulator;
    let receiver: ReceiverSimulator;
    let postgres: TestDatabase | null = null;
    beforeAll(async () => {
      dir = await mkdtemp(path.join(os.tmpdir(), 'svc-log-'));
      crm = await startHubspotSimulator();
      sequencer = await startSequencerSimulator();
      receiver = await startReceiverSimulator();
      if (database === 'PostgreSQL') postgres = await createTestDatabase(databaseUrl ?? '');
    });
    afterAll(async () => {
      await Promise.all([crm.close(), sequencer.close(), receiver.close()]);
      await postgres?.drop();
      await rm(dir, { recursive: true, force: true });
    });

    test('contains no key, secret or payload, whatever fails', async () => {
      const markers = createMarkers();
      const env: Record<string, string> = {
        SVC_LOG_LEVEL: 'trace',
        SVC_DATA_DIR: dir,
        SVC_HUBSPOT_URL: crm.url,
        SVC_SMARTLEAD_URL: sequencer.url,
        SVC_INSTANTLY_URL: sequencer.url,
        SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
        SVC_RATE_LIMIT: 'off',
        SVC_ENCRYPTION_KEY: markers.add('encryption key', generateEncryptionKey()),
        ...(postgres ? { DATABASE_URL: postgres.url } : {}),
      };
      const commands: FinishedProcess[] = [];
      const command = async (args: readonly string[], input = '') => {
        // With PostgreSQL a command opens the database itself, so only its process has a log; else the server does what it asks.
        const runCommand = postgres === null ? runServerCommandHere : runServerCommand;
        const finished = await runCommand([...args, '--json'], env, input);
        commands.push(finished);
        return finished;
      };
      const run = async (args: readonly string[], input = '') => {
        const finished = await command(args, input);
        expect(finished).toMatchObject({ code: 0 });
        return JSON.parse(finished.stdout);
      };
      const server = await startServerProcess(['--port', '0'], env);
      try {
        await administer();
      } finally {
        await server.stop();
      }
      // Commands show new tokens once on stdout, so only their stderr is a log.
      const log = [server.stderr(), server.stdout(), ...commands.map(({ stderr }) => stderr)].join('\n');
      expect(markers.names().length).toBeGreaterThan(20);
      expect(markers.foundIn(log)).toEqual([]);
      // The log was verbose and includes failures.
      const levels = server
        .stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).level);
      expect(levels.filter((level) => level === 20).length).toBeGreaterThan(20);
      if (postgres) expect(levels.filter((level) => level >= 50).length).toBeGreaterThan(0);

      async function administer() {
        await run(['accounts', 'create', '--email', 'kim@example.com', '--webhooks', 'on']);
        const connection = [
          'connections',
          'add',
          '--account',
          '1',
          '--crm',
          'HUBSPOT',
          '--organization-domain',
          'x.example.com',
        ];
        const switches = ['--destinations', 'on', '--blocklists', 'on'];
        const add = (id: string) => [...connection, '--organization-id', id, ...switches, '--no-check'];
        await run(add('1'), markers.make('CRM token'));
        await run(add('2'), markers.make('CRM token to be refused'));
        await command([...connection, '--organization-id', '9'], markers.make('CRM token of another account'));
        crm.failNext(1, 401, { match: /access-token-info/ });
        await command([...connection, '--organization-id', '9'], markers.make('CRM token that HubSpot refuses'));
        await command([...connection, '--organization-id', '3'], `${markers.make('malformed token')}\nsecond line`);
        const { source } = await run(['sources', 'add', '--connection', '1', '--platform', 'smartlead']);
        const { source: refusedSource } = await run(['sources', 'add', '--connection', '2', '--platform', 'instantly']);
        for (const one of [source, refusedSource]) one.url = server.url + new URL(one.url).pathname;
        for (const { url } of [source, refusedSource])
          markers.add(`ingress code of ${url.slice(-4)}`, url.split('/').at(-1));
        await requireSecret(refusedSource);
        const { token } = await run(['keys', 'create', '--account', '1', '--name', 'x', '--scope', 'write']);
        markers.add('API key', token);
        const rotated = await run(['keys', 'rotate', String((await run(['keys', 'list'])).keys[0].id)]);
        markers.add('rotated API key', rotated.token);
        await bindDestination(source.id);
        const list = ['--crm-list-id', '88', '--platform', 'smartlead', '--type', 'ADDRESS'];
        sequencer.failNext(2, 500);
        crm.createList({ listId: '88', name: 'x', objectType: 'contacts', members: ['blocked@example.org'] });
        await run(['blocklists', 'add', '--connection', '1', '--name', 'x', ...list], markers.make('sequencer token'));
        await settled(() => sequencer.requests().length > 0);
        await failToSync(source, refusedSource);
        await callTheApi(rotated.token, source.url);
        if (postgres) await breakTheDatabase({ source });
      }

      /** Posts with a wrong and the right secret of a source, then removes it. */
      async function requireSecret({ id, url }: { id: number; url: string }) {
        const header = 'x-webhook-event-secret';
        const secret = markers.make('source secret');
        await run(['sources', 'set-secret', String(id), '--header', header], secret);
        const { generated } = await run(['sources', 'set-secret', String(id), '--header', header, '--generate']);
        markers.add('generated source secret', generated);
        const post = async (value: string) =>
          (await fetch(url, { method: 'POST', body: '[]', headers: { [header]: value } })).status;
        // Servers notice a new secret within five seconds.
        await settled(async () => (await post(markers.make('wrong source secret'))) === 401);
        expect([await post(secret), await post(generated)]).toEqual([200, 200]);
        await command(['sources', 'set-secret', String(id)], markers.make('source secret without a header'));
        await run(['sources', 'remove-secret', String(id)]);
        await settled(async () => (await post('')) === 200);
      }

      async function bindDestination(sourceId: number) {
        const { port } = new URL(receiver.url);
        const url = `https://127.0.0.1:${port}/${markers.make('destination path')}?key=${markers.make('destination query')}`;
        await run(['destinations', 'add', '--url', url, '--connection', '1']);
        await run(['destinations', 'bind', '1', '--source', String(sourceId), '--event-types', 'EMAIL_REPLY']);
        await command([
          'destinations',
          'add',
          `http://10.0.0.1/${markers.make('refused destination')}`,
          '--connection',
          '1',
        ]);
      }

      function event(suffix: string) {
        return {
          event_type: 'EMAIL_REPLY',
          to_email: `${markers.make(`recipient ${suffix}`)}@example.org`.toLowerCase(),
          reply_body: markers.make(`reply ${suffix}`),
          to_name: markers.make(`name ${suffix}`),
        };
      }

      async function failToSync(source: { url: string }, refusedSource: { url: string }) {
        const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
          (await fetch(url, { method: 'POST', body, headers })).status;
        crm.failNext(1, 'html');
        crm.failNext(1, 'truncated');
        crm.failNext(1, 403);
        crm.failNext(1, 400);
        for (const suffix of ['one', 'two', 'three'])
          expect(await post(source.url, JSON.stringify(event(suffix)))).toBe(200);
        await settled(() => crm.requests().length >= 4);
        crm.failNext(3, 401);
        expect(
          await post(refusedSource.url, JSON.stringify({ ...event('refused'), event_type: 'reply_received' })),
        ).toBe(200);
        expect(await post(source.url, `{"x": "${markers.make('broken json')}`)).toBe(400);
        expect(await post(source.url, JSON.stringify({ what: markers.make('not understood') }))).toBe(200);
        expect(await post(`${source.url}?key=${markers.make('inbound query')}`, '{}')).toBe(200);
        expect(await post(source.url, `"${markers.make('too large')}${'x'.repeat(3 * 1024 * 1024)}"`)).toBe(413);
        const wrong = source.url.replace(/\w+$/, markers.make('unknown code'));
        expect(await post(wrong, '{}', { 'x-marker': markers.make('inbound header') })).toBe(404);
      }

      async function callTheApi(key: string, inboundUrl: string) {
        const api = new URL('/api/v1', inboundUrl).href;
        const call = async (
          method: string,
          target: string,
          options: { key?: string; body?: string; type?: string } = {},
        ) => {
          const headers: Record<string, string> = { authorization: `Bearer ${options.key ?? key}` };
          if (options.body !== undefined) headers['content-type'] = options.type ?? 'application/json';
          return fetch(`${api}${target}`, {
            method,
            headers,
            ...(options.body === undefined ? {} : { body: options.body }),
          });
        };
        await call('GET', '/me', { key: `osapi_${markers.make('unknown key')}` });
        await call('GET', '/me', { key: markers.make('key of another form') });
        await call('GET', `/contacts/outreach?email=${markers.make('looked-up email').toLowerCase()}@example.org`);
        await call('GET', `/syncs?from=${markers.make('bad date')}`);
        await call('GET', `/no/such/${markers.make('unknown route')}`);
        await call('POST', '/webhooks', { body: `{"url": "${markers.make('broken body')}` });
        await call('POST', '/webhooks', { body: markers.make('body of another type'), type: 'text/plain' });
        await call('POST', '/webhooks', {
          body: JSON.stringify({ url: `https://10.0.0.1/${markers.make('refused webhook')}` }),
        });
        const { port } = new URL(receiver.url);
        const url = `https://127.0.0.1:${port}/${markers.make('webhook path')}`;
        const webhook = JSON.parse(await (await call('POST', '/webhooks', { body: JSON.stringify({ url }) })).text());
        markers.add('signing secret', webhook.secret);
        await call('POST', `/webhooks/${webhook.id}/test`);
        const rotated = JSON.parse(await (await call('POST', `/webhooks/${webhook.id}/rotate-secret`)).text());
        markers.add('rotated signing secret', rotated.secret);
        const deliveries = async () =>
          JSON.parse(await (await call('GET', `/webhooks/${webhook.id}/deliveries`)).text());
        await settled(async () =>
          (await deliveries()).data.some(({ attemptCount }: { attemptCount: number }) => attemptCount > 0),
        );
      }

      /** Makes jobs and requests fail in the database, with statements whose values are payloads. */
      async function breakTheDatabase({ source }: { source: { url: string } }) {
        if (!postgres) return;
        const db = openPostgres(postgres.url, { maxConnections: 1 });
        await db.query('alter table inbound_events rename to elsewhere');
        await fetch(source.url, { method: 'POST', body: JSON.stringify(event('in a job')) });
        await settled(() => server.stderr().includes('a job failed and will run again'));
        await db.query('alter table requests rename to nowhere');
        const refused = await fetch(source.url, { method: 'POST', body: JSON.stringify(event('refused')) });
        expect(refused.status).toBe(500);
        await db.query('alter table connections rename to gone');
        const failed = await command(['connections', 'list']);
        expect(failed).toMatchObject({ code: 1, stdout: '' });
        await db.close();
      }
    });
  });
});

async function settled(isDone: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isDone, { timeout: 60_000, interval: 200 }).toBe(true);
}
