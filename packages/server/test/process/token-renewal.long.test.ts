/** Processes on one PostgreSQL that find the same ended access token: real processes, real HTTP, SIGKILL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type OauthSimulator, startHubspotSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { type RefreshGrant, writeGrant } from '@svc/engine/crm/grants';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { migrate } from '@svc/engine/store/migrations/migrate';
import { openPostgres } from '@svc/engine/store/database/postgres';

const PROCESSES = 8;
/** How much faster the clocks run where processes are killed: the lease of a renewal takes 1.5 s. */
const RATE = 40;
const SCRIPT = fileURLToPath(new URL('../support/renew-process.ts', import.meta.url));
const databaseUrl = inject('databaseUrl');

describe.skipIf(databaseUrl === null)('an ended access token', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A connection whose access token has ended, and processes that are ready to renew it. */
  async function setUp(
    crm: 'SALESFORCE' | 'HUBSPOT',
    vendor: { url: string; oauth: OauthSimulator },
    { processCount, rate }: { processCount: number; rate: number },
  ) {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const db = openPostgres(database.url, { maxConnections: 1 });
    cleanUps.push(() => db.close());
    await migrate(db, new Date());
    const { accessToken, refreshToken } = vendor.oauth.issueGrant({ clientId: 'app' });
    vendor.oauth.expireAccessTokens();
    const key = generateEncryptionKey();
    const { rows } = await db.query<{ id: number }>(
      `with account as (insert into accounts (email, created_at) values ('kim@example.com', now()) returning id)
        insert into connections (account_id, crm, organization_id, organization_domain, created_at)
        select id, $1, '1', 'example.com', now() from account returning id`,
      [crm],
    );
    const id = rows[0]?.id ?? 0;
    const grant: RefreshGrant = {
      ...{ type: 'refresh_token', accessToken, refreshToken, expiresAt: null, apiUrl: vendor.url },
      ...{ loginUrl: vendor.url, rotates: null, scopes: null },
    };
    const sealed = createSecretBox([key]).encrypt(writeGrant(grant), { kind: 'CRM token', id });
    await db.query('update connections set crm_token = $2 where id = $1', [id, sealed]);
    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: key,
      SVC_HUBSPOT_URL: vendor.url,
      [`SVC_${crm}_LOGIN_URL`]: vendor.url,
      [`SVC_${crm}_CLIENT_ID`]: 'app',
      [`SVC_${crm}_CLIENT_SECRET`]: 'app-secret',
    };
    const processes = Array.from({ length: processCount }, () => {
      const child = spawn(process.execPath, [SCRIPT, String(id), crm, accessToken, String(rate)], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env,
      });
      cleanUps.push(async () => child.kill('SIGKILL'));
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const readLine = async () => String((await lines.next()).value);
      return { child, readLine, go: () => child.stdin.write('go\n') };
    });
    for (const { readLine } of processes) expect(await readLine()).toBe('ready');
    const isConnected = async () => {
      const { rows: found } = await db.query<{ token: string | null }>('select crm_token as token from connections');
      return found[0]?.token !== null;
    };
    return { refreshToken, processes, isConnected };
  }

  test(`${PROCESSES} processes, rotation on: one refresh call, all get its token, nobody is disconnected`, async () => {
    const salesforce = await startSalesforceSimulator({ oauth: { rotates: true } });
    cleanUps.push(() => salesforce.close());
    // As long as a call takes, so that the others come while it runs.
    salesforce.oauth.setTokenWait(() => sleep(500));
    const options = { processCount: PROCESSES, rate: 1 };
    const { refreshToken, processes, isConnected } = await setUp('SALESFORCE', salesforce, options);
    for (const { go } of processes) go();
    const tokens = await Promise.all(processes.map(({ readLine }) => readLine()));
    await Promise.all(processes.map(async ({ child }) => child.exitCode ?? once(child, 'exit')));

    expect(salesforce.oauth.tokenCalls()).toMatchObject([{ grantType: 'refresh_token', refreshToken, status: 200 }]);
    expect(new Set(tokens).size).toBe(1);
    expect(salesforce.oauth.check(tokens[0] ?? '')).toMatchObject({ clientId: 'app' });
    expect(await isConnected()).toBe(true);
  }, 600_000);

  /**
   * Each process but the last is killed while the vendor has its request, and while the last waits for it. `isDone`: whether the vendor
   * has replaced the tokens by then.
   */
  async function killDuringCalls(
    crm: 'SALESFORCE' | 'HUBSPOT',
    vendor: { url: string; oauth: OauthSimulator },
    { kills, isDone }: { kills: number; isDone: boolean },
  ) {
    const { processes, isConnected } = await setUp(crm, vendor, { processCount: kills + 1, rate: RATE });
    const killed = processes.slice(0, kills);
    const last = processes[kills] ?? expect.fail('there is no last process');
    const waiting = [...killed];
    vendor.oauth.setTokenWait(async () => {
      const holder = waiting.shift();
      if (holder === undefined) return;
      const exited = once(holder.child, 'exit');
      holder.child.kill('SIGKILL');
      await exited;
      (waiting[0] ?? last).go();
      if (!isDone) throw new Error('the vendor does nothing');
    });
    (waiting[0] ?? last).go();
    const result = await last.readLine();
    expect(killed.map(({ child }) => child.signalCode)).toEqual(killed.map(() => 'SIGKILL'));
    return { result, isConnected: await isConnected() };
  }

  test('a refresh token that can be used again: three processes are killed during the call, the next one gets a token', async () => {
    const hubspot = await startHubspotSimulator();
    cleanUps.push(() => hubspot.close());
    const { result, isConnected } = await killDuringCalls('HUBSPOT', hubspot, { kills: 3, isDone: true });
    expect(hubspot.oauth.check(result)).toMatchObject({ clientId: 'app' });
    expect(hubspot.oauth.tokenCalls()).toHaveLength(4);
    expect(isConnected).toBe(true);
  }, 600_000);

  test.each([
    { isDone: false, what: 'Salesforce has not replaced it: the next process gets a token', ends: false },
    { isDone: true, what: 'Salesforce has replaced it: the connection is disconnected', ends: true },
  ])(
    'a refresh token that is replaced by its use, a process is killed during the call, and $what',
    async ({ isDone, ends }) => {
      const salesforce = await startSalesforceSimulator({ oauth: { rotates: true } });
      cleanUps.push(() => salesforce.close());
      const { result, isConnected } = await killDuringCalls('SALESFORCE', salesforce, { kills: 1, isDone });
      expect(salesforce.oauth.tokenCalls()).toHaveLength(2);
      if (ends) expect(result).toBe('disconnected');
      else expect(salesforce.oauth.check(result)).toMatchObject({ clientId: 'app' });
      expect(isConnected).toBe(!ends);
    },
    600_000,
  );
});
