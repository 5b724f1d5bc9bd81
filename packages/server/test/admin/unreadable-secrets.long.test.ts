/** Secrets sealed with a key that this server does not have, on both databases: each use reports it. */
import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { bindServer } from '../../src/http/listen.ts';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { startServer } from '../../src/main/server.ts';
import { backends } from '@svc/engine/test/backends';
import { type BlocklistServer, startBlocklistServer } from '../support/blocklist-server.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);
const HOUR_MS = 60 * 60 * 1000;
const authorization = 'Bearer osapi_demo_write';

describe.each(backends)('an unreadable secret on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('jobs', () => {
    let server: BlocklistServer;
    beforeEach(async () => {
      server = await startBlocklistServer(backend);
      await server.reset();
      server.crm.reset();
    });
    afterEach(async () => {
      await server.close();
    });
    const loseCrmToken = async () => {
      const { rows } = await server.db.query<{ crm_token: string }>('select crm_token from connections where id = 1');
      await server.db.query(`update connections set crm_token = 'gone.xxxx' where id = 1`);
      return () => server.db.query('update connections set crm_token = $1 where id = 1', [rows[0]?.crm_token]);
    };
    const syncs = async () =>
      (
        await server.db.query<{ id: number; status: string; code: string | null; message: string | null }>(
          `select id, status, error->>'code' as code, error->>'message' as message from syncs
            where to_email = 'unreadable@example.org' order by id`,
        )
      ).rows;

    test('a server without any right key keeps what it receives and runs no jobs, until it can decrypt', async () => {
      const { db, clock } = server;
      const config = readConfig({ SVC_PORT: '0' });
      let secrets = createSecretBox([generateEncryptionKey()]);
      const other = await startServer({
        bound: await bindServer(config),
        config,
        // The other server owns the database.
        db: { ...db, announce: async () => false, listen: async () => {}, close: async () => {} },
        secrets: {
          get keyIds() {
            return secrets.keyIds;
          },
          encrypt: (plain, place) => secrets.encrypt(plain, place),
          decrypt: (sealed, place) => secrets.decrypt(sealed, place),
          isCurrent: (sealed) => secrets.isCurrent(sealed),
          deriveKey: (purpose) => secrets.deriveKey(purpose),
        },
        clock,
        log: pino({ level: 'silent' }),
        outbound: server.running.ctx.outbound,
        fetch: globalThis.fetch,
      });
      const readiness = async () => {
        const answer = await fetch(`${other.url}/health/ready`);
        return [answer.status, JSON.parse(await answer.text()).checks];
      };
      try {
        const body = JSON.stringify({ ...reply, stats_id: 'foreign-1', sl_lead_email: 'unreadable@example.org' });
        const posted = await fetch(`${other.url}/webhooks/demo-smartlead`, { method: 'POST', body });
        expect(posted.status).toBe(200);
        clock.advance(HOUR_MS);
        expect(await readiness()).toEqual([503, { database: 'ok', queue: 'error', secrets: 'error' }]);
        const { rows } = await db.query<{ attempts: number }>('select attempts from jobs');
        expect(rows).toEqual([{ attempts: 0 }]);
        secrets = server.running.ctx.secrets as typeof secrets;
        await expect
          .poll(async () => {
            clock.advance(5_000);
            return readiness();
          })
          .toEqual([200, { database: 'ok', queue: 'ok', secrets: 'ok' }]);
        await expect
          .poll(async () => {
            clock.advance(1_000);
            return syncs();
          })
          .not.toEqual([]);
      } finally {
        await other.close();
        await db.query('delete from jobs');
      }
    });

    test('a server without the right key logs it for each kind of secret, and starts', async () => {
      let logged = '';
      const sink = new Writable({
        write(chunk, _encoding, done) {
          logged += String(chunk);
          done();
        },
      });
      const { db, clock } = server;
      const start = async (keys: string[]) => {
        logged = '';
        const config = readConfig({ SVC_PORT: '0' });
        const parts = {
          bound: await bindServer(config),
          config,
          // The other server owns the database.
          db: { ...db, announce: async () => false, listen: async () => {}, close: async () => {} },
          secrets: createSecretBox(keys),
          clock,
          log: pino({ level: 'warn' }, sink),
          outbound: server.running.ctx.outbound,
          fetch: globalThis.fetch,
        };
        const other = await startServer(parts, { startWorkers: false });
        await other.close();
        return logged;
      };
      const text = await start([generateEncryptionKey()]);
      for (const kind of ['CRM token', 'webhook signing secret']) expect(text).toContain(kind);
      expect(text).toContain('SVC_ENCRYPTION_KEY');
      expect(text).toContain('"level":50');
    });

    test('one CRM token: its events wait, fail after a minute, and are written once the key is back', async () => {
      const giveBack = await loseCrmToken();
      const body = { ...reply, stats_id: 'unreadable-1', sl_lead_email: 'unreadable@example.org' };
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      await server.settle(10_000);
      expect(await syncs()).toEqual([]);
      await server.settle(HOUR_MS);
      const made = await syncs();
      expect(made).toMatchObject([
        { status: 'error', code: 'token_unreadable', message: expect.stringContaining('SVC_ENCRYPTION_KEY') },
      ]);
      expect(server.logged()).toContain('was encrypted with key gone');
      // One lost secret is no reason to serve no other connection.
      expect(server.running.ctx.areSecretsReadable()).toBe(true);
      const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
      expect(json.connections[0].crmConnection.status).not.toBe('disconnected');
      await giveBack();
      await server.settle(HOUR_MS);
      expect((await syncs()).map(({ status }) => status)).toEqual(['error', 'success']);
    });

    test('the CRM token when reading a list', async () => {
      const giveBack = await loseCrmToken();
      const { id } = await server.makeList();
      await server.act(id, 'resync');
      await server.settle(HOUR_MS);
      expect(await server.show(id)).toMatchObject({
        status: 'CREATED',
        lastError: expect.stringMatching(/^The CRM list could not be read: .*SVC_ENCRYPTION_KEY/),
      });
      await giveBack();
    });

    test('the sequencer token when pushing a list', async () => {
      const { id } = await server.makeList();
      await server.db.query('update blocklists set sequencer_token = $2 where id = $1', [id, 'gone.xxxx']);
      await server.act(id, 'resync');
      await server.settle(HOUR_MS);
      expect(await server.show(id)).toMatchObject({
        status: 'CREATED',
        pendingCount: 3,
        lastError: expect.stringMatching(/^The entries could not be pushed: .*SVC_ENCRYPTION_KEY/),
      });
      expect(server.sequencer.requests()).toEqual([]);
    });

    test('the signing secret of a webhook: the attempt fails, and the next one follows the schedule', async () => {
      await server.db.query('delete from webhook_deliveries');
      await server.db.query('delete from webhooks');
      const url = 'https://unreadable.example.com/hook';
      const created = await server.post('/api/v1/webhooks', { url }, { authorization });
      const { id } = created.json;
      const { rows } = await server.db.query<{ secret: string }>('select secret from webhooks where id = $1', [id]);
      await server.db.query(`update webhooks set secret = 'gone.xxxx' where id = $1`, [id]);
      expect((await server.post(`/api/v1/webhooks/${id}/test`, '', { authorization })).status).toBe(202);
      await server.running.runner.runDue();
      const deliveries = async () =>
        (await server.get('listWebhookDeliveries', `/api/v1/webhooks/${id}/deliveries`, 'osapi_demo_write')).json.data;
      expect(await deliveries()).toMatchObject([
        { status: 'PENDING', attemptCount: 1, lastHttpStatus: null, lastError: expect.stringContaining('secret') },
      ]);
      await server.settle(50_000);
      expect(await deliveries()).toMatchObject([{ attemptCount: 1 }]);
      await server.db.query('update webhooks set secret = $2 where id = $1', [id, rows[0]?.secret]);
      await server.settle(10 * 60_000);
      expect(await deliveries()).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
    });
  });
});
