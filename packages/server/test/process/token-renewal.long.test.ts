/** Eight processes on one PostgreSQL find the same ended access token, whose refresh token works only once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSalesforceSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { type RefreshGrant, writeGrant } from '../../src/crm/grants.ts';
import { createSecretBox, generateEncryptionKey } from '../../src/secrets/secret-box.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/database/postgres.ts';

const PROCESSES = 8;
const SCRIPT = fileURLToPath(new URL('../support/renew-process.ts', import.meta.url));
const databaseUrl = inject('databaseUrl');

describe.skipIf(databaseUrl === null)('eight processes, one ended Salesforce token, rotation on', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test('one refresh call, all get its token, nobody is disconnected', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const db = openPostgres(database.url, { maxConnections: 1 });
    cleanUps.push(() => db.close());
    await migrate(db, new Date());
    const salesforce = await startSalesforceSimulator({ oauth: { rotates: true } });
    cleanUps.push(() => salesforce.close());
    // As long as a call takes, so that the others come while it runs.
    salesforce.oauth.setTokenWait(() => sleep(500));
    const { accessToken, refreshToken } = salesforce.oauth.issueGrant({ clientId: 'app' });
    salesforce.oauth.expireAccessTokens();

    const key = generateEncryptionKey();
    const { rows } = await db.query<{ id: number }>(
      `with account as (insert into accounts (email, created_at) values ('kim@example.com', now()) returning id)
        insert into connections (account_id, crm, organization_id, organization_domain, created_at)
        select id, 'SALESFORCE', '1', 'example.com', now() from account returning id`,
    );
    const id = rows[0]?.id ?? 0;
    const grant: RefreshGrant = {
      ...{ type: 'refresh_token', accessToken, refreshToken, expiresAt: null, apiUrl: salesforce.url },
      ...{ loginUrl: salesforce.url, rotates: null, scopes: null },
    };
    const sealed = createSecretBox([key]).encrypt(writeGrant(grant), { kind: 'CRM token', id });
    await db.query('update connections set crm_token = $2 where id = $1', [id, sealed]);

    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: key,
      SVC_SALESFORCE_LOGIN_URL: salesforce.url,
      SVC_SALESFORCE_CLIENT_ID: 'app',
      SVC_SALESFORCE_CLIENT_SECRET: 'app-secret',
    };
    const processes = Array.from({ length: PROCESSES }, () => {
      const child = spawn(process.execPath, [SCRIPT, String(id), 'SALESFORCE', accessToken], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env,
      });
      cleanUps.push(async () => child.kill('SIGKILL'));
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    for (const { lines } of processes) expect((await lines.next()).value).toBe('ready');
    for (const { child } of processes) child.stdin.write('go\n');
    const tokens = await Promise.all(processes.map(async ({ lines }) => String((await lines.next()).value)));
    await Promise.all(processes.map(async ({ child }) => child.exitCode ?? once(child, 'exit')));

    expect(salesforce.oauth.tokenCalls()).toMatchObject([{ grantType: 'refresh_token', refreshToken, status: 200 }]);
    expect(new Set(tokens).size).toBe(1);
    expect(salesforce.oauth.check(tokens[0] ?? '')).toMatchObject({ clientId: 'app' });
    const { rows: stored } = await db.query<{ token: string | null }>('select crm_token as token from connections');
    expect(stored[0]?.token).not.toBeNull();
  }, 600_000);
});
