/** The encryption key is replaced in the wrong order, on both databases: refused, and when it happens nevertheless, nothing fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { AdminContext } from '@svc/operations/implemented/operation';
import {
  createSecretBox,
  generateEncryptionKey,
  SECRET_COLUMNS,
  type SecretBox,
  type SecretKind,
} from '@svc/engine/secrets/secret-box';
import { listSealedSecrets, replaceSealedSecret } from '@svc/engine/secrets/stored-secrets.sql';
import { expectRefusal } from '../support/admin-harness.ts';
import { backends } from '@svc/engine/test/backends';
import { ENCRYPTION_KEY, startTestServer, type TestServer } from '../support/harness.ts';
import { parseScrape } from '../support/scrape.ts';

describe.each(backends)('the encryption key in the wrong order on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('beside a server that knows only the old key', () => {
    const old = createSecretBox([ENCRYPTION_KEY]);
    const both = createSecretBox([generateEncryptionKey(), ENCRYPTION_KEY]);
    /** What the server has. */
    let keys: SecretBox = old;
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend, {
        secrets: {
          get keyIds() {
            return keys.keyIds;
          },
          encrypt: (plain, place) => keys.encrypt(plain, place),
          decrypt: (sealed, place) => keys.decrypt(sealed, place),
          isCurrent: (sealed) => keys.isCurrent(sealed),
          deriveKey: (purpose) => keys.deriveKey(purpose),
        },
      });
      await server.db.query('delete from jobs');
    });
    afterAll(async () => {
      await server.close();
    });

    /** A command runs in the server that has the embedded database open, and beside one on PostgreSQL. */
    const context = (): AdminContext => ({
      ...server.running.ctx,
      secrets: backend.name === 'pglite' ? server.running.ctx.secrets : both,
    });
    const secretsCheck = async () => {
      const { status, checks } = await fetch(`${server.url}/health/ready`).then(async (answer) => ({
        status: answer.status,
        checks: JSON.parse(await answer.text()).checks,
      }));
      return [status, checks.secrets];
    };
    const reply = (id: string) => ({ event_type: 'EMAIL_REPLY', to_email: `${id}@example.org`, stats_id: id });
    const syncsTo = async (id: string) => {
      const { rows } = await server.db.query<{ status: string }>('select status from syncs where to_email = $1', [
        `${id}@example.org`,
      ]);
      return rows.map(({ status }) => status);
    };

    test('secrets reencrypt is refused and changes nothing', async () => {
      const [firstKey = ''] = both.keyIds;
      const call = performAdmin(context(), 'secrets/reencrypt', { firstKey }, 'a test');
      const refusal = await expectRefusal('conflict', call);
      expect(refusal).toContain(firstKey);
      expect(refusal).toMatch(/not know the first key of SVC_ENCRYPTION_KEY .*restart/);
      const { rows } = await server.db.query<{ sealed: string }>(
        'select crm_token as sealed from connections where crm_token is not null',
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every(({ sealed }) => old.isCurrent(sealed))).toBe(true);
    });

    test.runIf(backend.name === 'postgres')('a new secret is refused, too', async () => {
      const input = {
        ...{ accountId: 1, crm: 'HUBSPOT', organizationId: '4711', organizationDomain: 'example.com' },
        crmToken: 'pat-new',
      };
      const refusal = await expectRefusal('conflict', performAdmin(context(), 'connections/add', input, 'a test'));
      expect(refusal).toContain('1 of 1 running servers do not know the first key');
    });

    test('when it happened: the server is not ready, events and webhooks wait, and nothing fails once it has the key', async () => {
      const authorization = 'Bearer osapi_demo_write';
      const created = await server.post('/api/v1/webhooks', { url: 'https://hooks.example.com/x' }, { authorization });
      const { id }: { id: string } = created.json;
      expect(await secretsCheck()).toEqual([503, 'ok']);
      await reencryptBehindItsBack(server, both);

      await server.post('/webhooks/demo-smartlead', reply('first'));
      expect((await server.post(`/api/v1/webhooks/${id}/test`, '', { authorization })).status).toBe(202);
      await server.running.runner.runDue();
      expect(await secretsCheck()).toEqual([503, 'error']);
      const scraped = parseScrape(await (await fetch(`${server.url}/metrics`)).text());
      expect(scraped.get('svc_secrets_unreadable')).toBeGreaterThan(0);
      await server.post('/webhooks/demo-smartlead', reply('second'));
      server.clock.advance(3_600_000);
      await server.running.runner.runDue();
      expect([await syncsTo('first'), await syncsTo('second')]).toEqual([[], []]);

      keys = both;
      await expect
        .poll(async () => {
          server.clock.advance(5_000);
          return (await secretsCheck())[1];
        })
        .toBe('ok');
      await server.running.runner.runDue();
      expect([await syncsTo('first'), await syncsTo('second')]).toEqual([['success'], ['success']]);
      const { rows } = await server.db.query(
        'select status, attempt_count as attempts from webhook_deliveries where webhook_id = $1',
        [id],
      );
      expect(rows).toEqual([{ status: 'SUCCEEDED', attempts: 1 }]);
    });
  });
});

/** As a command of an earlier release does, which asks no server. */
async function reencryptBehindItsBack({ db }: TestServer, box: SecretBox): Promise<void> {
  for (const kind of Object.keys(SECRET_COLUMNS) as SecretKind[]) {
    for (const { id, sealed } of await listSealedSecrets(db, kind, { after: null, limit: 1_000 })) {
      const place = { kind, id };
      const after = box.encrypt(box.decrypt(sealed, place), place);
      expect(await replaceSealedSecret(db, place, { before: sealed, after })).toBe(true);
    }
  }
}
