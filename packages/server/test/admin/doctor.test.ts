/** The doctor's database checks: when all is well, and with one problem at a time. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createManualClock } from '@svc/engine/runtime/clock';
import { createSecretBox, generateEncryptionKey, hashApiKey } from '@svc/engine/secrets/secret-box';
import type { Check } from '@svc/operations/doctor/check';
import { enqueue } from '@svc/engine/queue/queue';
import { replaceSealedSecret } from '@svc/engine/secrets/stored-secrets.sql';
import { type Database, SERVER_LOCK, WORKER_LOCK, UNTRUSTED_PROXY_LOCK } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { knownSchema } from '@svc/engine/store/migrations/migrate';
import { announceKeys } from '@svc/engine/store/server-keys';
import { insertPolicy } from '@svc/engine/store/write-policies';
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { assertNoWorld } from '@svc/engine/world/world-keys';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import { backends } from '@svc/engine/test/backends';

/** Opens the same database as another process does. */
async function openAnother(db: Database): Promise<Database> {
  const { rows } = await db.query<{ name: string }>('select current_database() as name');
  const url = new URL(inject('databaseUrl') ?? '');
  url.pathname = `/${rows[0]?.name}`;
  return openPostgres(url.href, { maxConnections: 1 });
}

// This test runs first: the last one leaves a database that cannot be used.
test('reports a database that does not answer in one line and skips its other checks', async () => {
  const pglite = backends.find(({ name }) => name === 'pglite');
  if (!pglite) throw new Error('There is no embedded database.');
  const admin = await openAdministration(pglite);
  await admin.close();
  const { checks } = await admin.run('doctor/check', {});
  expect(checks.map(({ name, status }) => `${status} ${name}`)).toEqual(['FAIL database', 'PASS public URLs']);
});

describe.each(backends)('doctor on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('checks the database', () => {
    let admin: Administration;
    let opened: Administration;
    let crm: HubspotSimulator;
    beforeAll(async () => {
      crm = await startHubspotSimulator({ tokens: ['pat-of-kim@example.com'] });
      opened = await openAdministration(backend, crm.url);
    });
    beforeEach(async () => {
      await opened.ctx.db.query('truncate accounts, jobs cascade');
      admin = { ...opened, clock: createManualClock(new Date()) };
      Object.assign(opened.ctx, { clock: admin.clock, areWorkersRunning: () => false });
    });
    afterAll(async () => {
      await opened.close();
      await crm.close();
    });
    const check = async (name: string): Promise<Check | undefined> =>
      (await admin.run('doctor/check', {})).checks.find((line) => line.name === name);
    const query = (sql: string, values?: unknown[]) => admin.ctx.db.query(sql, values);

    /** Sets the clock ahead of the machine's, which has advanced since the clock was set and counts as skew. */
    const setClockAhead = (aheadMs: number) =>
      admin.clock.advance(Math.max(0, Date.now() + aheadMs - admin.clock.now().getTime()));

    test('all is well', async () => {
      await makePipeline(admin, 'kim@example.com', '1000001');
      // This clock stands still and that of the database runs: more time for a slow machine.
      setClockAhead(1_900);
      const { checks } = await admin.run('doctor/check', {});
      expect(checks.map(({ name, status }) => `${status} ${name}`)).toEqual([
        'PASS database',
        'PASS migrations',
        'PASS clock',
        'PASS queue',
        'PASS encryption key',
        'PASS CRM tokens',
        'PASS world',
        // PostgreSQL has backups of its own.
        ...(backend.name === 'pglite' ? ['PASS backup'] : []),
        'PASS public URLs',
      ]);
    });

    test('connection: fails for a disconnected one that is used, with the command that connects it again', async () => {
      const { account, connection } = await makePipeline(admin, 'kim@example.com', '1000001');
      expect(await check('connection')).toBeUndefined();
      const error = 'HUBSPOT refuses access.';
      await query('update connections set recorded_error = $1', [error]);
      expect(await check('connection')).toMatchObject({
        ...{ status: 'WARN', message: `connection ${connection.id} (HUBSPOT 1000001): ${error}` },
        fix: expect.stringMatching(/svc-server connections add .* --token-file FILE$/),
      });
      await query('update connections set crm_token = null');
      const { checks } = await admin.run('doctor/check', {});
      expect(checks.find(({ name }) => name === 'connection')).toEqual({
        name: 'connection',
        status: 'FAIL',
        message: `connection ${connection.id} (HUBSPOT 1000001) is disconnected, so its events are not written`,
        fix: `Connect it again, then write what has failed with svc syncs retry --all: svc-server connections add --account ${account.id} --crm HUBSPOT --organization-id 1000001 --organization-domain northwind.example.com --token-file FILE`,
      });
      await query(
        `insert into oauth_consents (state_hash, crm, account_id, is_public, login_url, redirect_uri, settings, result_connection_id, created_at, expires_at)
          values ('x', 'HUBSPOT', $1, false, 'https://x', 'https://x', '{}', $2, $3, $3)`,
        [account.id, connection.id, admin.clock.now()],
      );
      expect((await check('connection'))?.fix).toMatch(
        new RegExp(`: svc-server connections connect hubspot --account ${account.id} --connection ${connection.id}$`),
      );
      await admin.run('capabilities/set', { connectionId: connection.id, sync: false });
      expect(await check('connection')).toBeUndefined();
    });

    test('connection: one disconnected of sixty is shown, and a world may have one', async () => {
      const { account } = await makePipeline(admin, 'kim@example.com', '1000001');
      await query(
        `with added as (
            insert into connections (account_id, crm, organization_id, organization_domain, crm_token, created_at)
            select $1, 'HUBSPOT', 'org-' || n, 'x.example.com', case when n = 59 then null else 'x' end, $2
            from generate_series(1, 59) n returning id, account_id, created_at
          )
          insert into sources (connection_id, path, platform, created_at)
          select id, 'path-' || id, 'smartlead', created_at from added`,
        [account.id, admin.clock.now()],
      );
      expect(await check('connection')).toMatchObject({ status: 'FAIL', message: expect.stringContaining('org-59') });
      await query(`insert into service_meta (key, value) values ('world', 'mine')`);
      expect(await check('connection')).toMatchObject({ status: 'WARN', message: expect.stringContaining('org-59') });
      await query('truncate service_meta');
    });

    test('source: names one whose receipts are not understood, with the commands', async () => {
      const { account, connection, source } = await makePipeline(admin, 'kim@example.com');
      const receive = (outcome: string) =>
        query(
          `insert into requests (account_id, connection_id, source_id, path, outcome, created_at)
            values ($1, $2, $3, 'x', $4, $5)`,
          [account.id, connection.id, source.id, outcome, admin.clock.now()],
        );
      for (const outcome of ['unparsed', 'synced', 'unparsed']) await receive(outcome);
      expect(await check('source')).toBeUndefined();
      await receive('unparsed');
      const found = await check('source');
      expect(found).toMatchObject({ status: 'WARN' });
      expect(found?.message).toContain(`source ${source.id} (smartlead, connection ${connection.id}): 3 of its last 4`);
      expect(found?.fix).toContain(`svc-server requests list --source ${source.id} --outcome unparsed`);
      expect(found?.fix).toContain(`svc-server sources map --source ${source.id}`);
      for (let count = 0; count < 20; count += 1) await receive('synced');
      expect(await check('source')).toBeUndefined();
    });

    test('owners: names the mailboxes that no entry of a policy maps and that are no address of a user', async () => {
      const { account, connection, source } = await makePipeline(admin, 'kim@example.com');
      const now = admin.clock.now();
      let events = 0;
      const receive = async (fromEmail: string | null, at = now) => {
        const { rows } = await admin.ctx.db.query<{ id: number }>(
          `insert into requests (account_id, connection_id, source_id, path, outcome, created_at)
            values ($1, $2, $3, 'x', 'synced', $4) returning id`,
          [account.id, connection.id, source.id, at],
        );
        const event = { fromEmail, campaign: { id: '7', name: 'Spring' } };
        await query(
          `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
              normalized, created_at) values ($1, $2, $3, $4, 'EMAIL_SENT', 'x@example.org', 'smartlead', $5, $6)`,
          [rows[0]?.id, source.id, connection.id, `k${(events += 1)}`, event, at],
        );
      };
      const setPolicy = (policy: object | null) =>
        admin.ctx.db.transaction((tx) =>
          insertPolicy(
            tx,
            { connectionId: connection.id, sourceId: source.id },
            policy === null ? null : writePolicySchema.parse(policy),
            now,
          ),
        );
      for (const mailbox of ['Rep@acme.example', 'rep@acme.example', 'ann@crate.example', null]) await receive(mailbox);
      await receive('old@acme.example', new Date(now.getTime() - 31 * 86_400_000));
      expect(await check('owners')).toBeUndefined();

      await query('update sources set assign_contact_owner = true');
      expect(await check('owners')).toMatchObject({
        status: 'PASS',
        message: `source ${source.id} (smartlead, connection ${connection.id}): no entry of a policy fits these mailboxes, and whether a user of HubSpot has their address is not known here: ann@crate.example, rep@acme.example`,
      });

      await setPolicy({ owner: { map: [{ domain: 'crate.example', user: '7' }] } });
      expect(await check('owners')).toMatchObject({
        ...{ status: 'WARN', message: expect.stringMatching(/: rep@acme\.example$/) },
        fix: expect.stringContaining(`svc-server sources policy set ${source.id} FILE`),
      });
      await setPolicy({ owner: { fallback: '7' } });
      expect(await check('owners')).toBeUndefined();
      await setPolicy(null);

      // Salesforce's connector remembers who is a user.
      await query(`update connections set crm = 'SALESFORCE'`);
      await query(
        `insert into crm_records (connection_id, identity, record_type, record_id, checked_at)
          values ($1, 'owner:rep@acme.example', 'User', 'nobody', $2),
            ($1, 'owner:ann@crate.example', 'User', '005000000000001AAA', $2)`,
        [connection.id, now],
      );
      expect(await check('owners')).toMatchObject({
        status: 'WARN',
        message: expect.stringMatching(/no user of Salesforce has their address: rep@acme\.example$/),
      });
      for (let box = 0; box < 22; box += 1) await receive(`box${box}@acme.example`);
      const lines = (await admin.run('doctor/check', {})).checks.filter(({ name }) => name === 'owners');
      expect(lines.map(({ status }) => status)).toEqual(['WARN', 'PASS']);
      expect(lines[1]?.message).toMatch(/box0@acme\.example, .* and 2 more$/);
    });

    test.runIf(backend.name === 'pglite')('backup: warns when the last one that was written is old', async () => {
      await query('truncate audit_log');
      expect(await check('backup')).toMatchObject({
        status: 'PASS',
        message: expect.stringContaining('none was made'),
      });
      const record = (daysAgo: number, isWritten: boolean, outcome: string) =>
        query(
          `insert into audit_log (at, actor, operation, input, outcome) values ($1, 'kim', 'backup/finish', $2, $3)`,
          [...[new Date(admin.clock.now().getTime() - daysAgo * 86_400_000), { pid: 1, isWritten }, outcome]],
        );
      await record(8, true, 'done');
      await record(2, false, 'done');
      await record(1, true, 'unexpected');
      expect(await check('backup')).toMatchObject({
        ...{ status: 'WARN', message: 'the last one is 192 h old', fix: 'svc-server backup FILE makes one.' },
      });
      await record(6, true, 'done');
      expect(await check('backup')).toMatchObject({ status: 'PASS' });
    });

    test('clock: reports how far the clocks are apart', async () => {
      setClockAhead(4_500);
      expect(await check('clock')).toMatchObject({ status: 'WARN' });
      setClockAhead(30_000);
      expect(await check('clock')).toMatchObject({
        ...{ status: 'FAIL', fix: expect.stringContaining('NTP') },
        message: expect.stringMatching(/differ by (2\d|30) s/),
      });
    });

    test('queue: reports how long the oldest due job waits and whether a server is running', async () => {
      const now = admin.clock.now();
      const job = { kind: 'write-crm', fairnessKey: 'connection:1', createdAt: now };
      await enqueue(admin.ctx.db, { ...job, ref: 1, dueAt: new Date(now.getTime() + 3_600_000) });
      expect(await check('queue')).toMatchObject({ status: 'PASS' });
      await enqueue(admin.ctx.db, { ...job, ref: 2, dueAt: now });
      expect(await check('queue')).toMatchObject({
        status: 'WARN',
        message: expect.stringContaining('no server is running'),
      });
      Object.assign(admin.ctx, { proxyWatch: { hasUntrusted: () => false } });
      expect(await check('queue')).toMatchObject({
        status: 'WARN',
        message: expect.stringContaining('the server is up, but runs no jobs'),
      });
      delete admin.ctx.proxyWatch;
      admin.ctx.areWorkersRunning = () => true;
      expect(await check('queue')).toMatchObject({ status: 'PASS', message: expect.stringContaining('due jobs: 1') });
      admin.clock.advance(61_000);
      expect(await check('queue')).toMatchObject({ status: 'WARN' });
      admin.clock.advance(15 * 60_000);
      expect(await check('queue')).toMatchObject({ status: 'FAIL' });
    });

    test('queue: caps the count', async () => {
      await query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at)
        select 'x', n::text, 'x', $1, $1 from generate_series(1, 10050) n`,
        [new Date(admin.clock.now().getTime() - 1_000)],
      );
      expect((await check('queue'))?.message).toContain('10000 or more');
    });

    test.runIf(backend.name === 'postgres')('queue: notices a server in another process', async () => {
      await enqueue(admin.ctx.db, {
        kind: 'x',
        ref: 1,
        fairnessKey: 'x',
        dueAt: admin.clock.now(),
        createdAt: admin.clock.now(),
      });
      const { db } = admin.ctx;
      admin.ctx.db = { ...db, canAnnounce: async () => false };
      expect((await check('queue'))?.message).toContain('cannot be seen through a connection pooler');
      admin.ctx.db = db;
      expect((await check('queue'))?.message).toContain('no server is running');
      const server = await openAnother(admin.ctx.db);
      await server.announce(SERVER_LOCK);
      expect(await check('queue')).toMatchObject({
        status: 'WARN',
        message: expect.stringContaining('no running server has the role worker'),
      });
      await server.announce(WORKER_LOCK);
      expect(await check('queue')).toMatchObject({ status: 'PASS' });
      await server.close();
    });

    test.runIf(backend.name === 'postgres')('proxies: reports what a server in another process has seen', async () => {
      expect(await check('proxies')).toBeUndefined();
      await admin.ctx.db.announce(UNTRUSTED_PROXY_LOCK);
      expect(await check('proxies')).toMatchObject({
        status: 'WARN',
        fix: expect.stringContaining('SVC_TRUST_PROXY'),
      });
    });

    test('encryption key: tries one secret of each kind and key', async () => {
      expect(await check('encryption key')).toMatchObject({
        status: 'PASS',
        message: expect.stringContaining('no secret is stored'),
      });
      const oldKey = generateEncryptionKey();
      const newKey = generateEncryptionKey();
      admin.ctx.secrets = createSecretBox([oldKey]);
      const { account, connection } = await makePipeline(admin, 'kim@example.com');
      await admin.run('blocklists/add', {
        connectionId: connection.id,
        listName: 'x',
        platform: 'smartlead',
        blockType: 'DOMAIN',
        sequencerToken: 'sl',
      });
      await query(
        `insert into webhooks (id, account_id, url, secret, created_at, updated_at) values ('oswhk_x', $1, 'https://x', $2, $3, $3)`,
        [
          account.id,
          admin.ctx.secrets.encrypt('oswhsec_x', { kind: 'webhook signing secret', id: 'oswhk_x' }),
          admin.clock.now(),
        ],
      );
      expect(await check('encryption key')).toMatchObject({
        status: 'PASS',
        message: 'decrypts stored secrets (CRM token, sequencer token, webhook signing secret)',
      });
      admin.ctx.secrets = createSecretBox([newKey]);
      const failed = await check('encryption key');
      expect(failed).toMatchObject({ status: 'FAIL', fix: expect.stringContaining('SVC_ENCRYPTION_KEY') });
      for (const kind of ['CRM token', 'sequencer token', 'webhook signing secret'])
        expect(failed?.message).toContain(kind);
      admin.ctx.secrets = createSecretBox([newKey, oldKey]);
      expect(await check('encryption key')).toMatchObject({
        status: 'WARN',
        message:
          'secrets encrypted with an old key or by an earlier release: 3 (CRM token, sequencer token, webhook signing secret)',
        fix: expect.stringContaining('svc-server secrets reencrypt'),
      });
      expect(await admin.run('secrets/reencrypt', {})).toEqual({ reencrypted: 3, current: 0, unreadable: [] });
      expect(await admin.run('secrets/reencrypt', {})).toEqual({ reencrypted: 0, current: 3, unreadable: [] });
      // The old key is no longer needed.
      admin.ctx.secrets = createSecretBox([newKey]);
      expect(await check('encryption key')).toMatchObject({ status: 'PASS' });
      // Finds one row that was sealed with another key among others that can be read.
      const foreign = createSecretBox([generateEncryptionKey()]).encrypt('pat', { kind: 'CRM token', id: 0 });
      await query(
        `insert into connections (account_id, crm, organization_id, organization_domain, crm_token, created_at) values ($1, 'HUBSPOT', 'x', 'x', $2, $3)`,
        [account.id, foreign, admin.clock.now()],
      );
      expect(await check('encryption key')).toMatchObject({
        status: 'FAIL',
        message: expect.stringMatching(/^CRM token: /),
      });
      expect(await admin.run('secrets/reencrypt', {})).toEqual({
        reencrypted: 0,
        current: 3,
        unreadable: [{ kind: 'CRM token', id: expect.any(Number) }],
      });
    });

    test.runIf(backend.name === 'postgres')('encryption key: fails when a running server lacks it', async () => {
      const [oldKey, newKey] = [generateEncryptionKey(), generateEncryptionKey()];
      admin.ctx.secrets = createSecretBox([newKey, oldKey]);
      await makePipeline(admin, 'kim@example.com');
      const server = await openAnother(admin.ctx.db);
      await server.announce(SERVER_LOCK);
      await announceKeys(server, createSecretBox([oldKey]).keyIds);
      expect(await check('encryption key')).toMatchObject({
        status: 'FAIL',
        message: expect.stringContaining('1 of 1 running servers lack a key'),
      });
      await announceKeys(server, createSecretBox([newKey]).keyIds);
      expect(await check('encryption key')).toMatchObject({ status: 'PASS' });
      await server.close();
    });

    test('encryption key: fails for a secret that was copied to another row', async () => {
      const { connection } = await makePipeline(admin, 'kim@example.com');
      const { connection: other } = await makePipeline(admin, 'lin@example.com');
      const copy = async (from: number, to: number) =>
        query('update connections set crm_token = (select crm_token from connections where id = $1) where id = $2', [
          from,
          to,
        ]);
      await copy(connection.id, other.id);
      await query('update connections set crm_token = null where id = $1', [connection.id]);
      expect(await check('encryption key')).toMatchObject({
        status: 'FAIL',
        message: expect.stringContaining('copied from another row'),
      });
      await copy(other.id, connection.id);
      await query('update connections set crm_token = null where id = $1', [other.id]);
      expect(await check('encryption key')).toMatchObject({ status: 'PASS' });
    });

    test('secrets discard: after the key is lost, everything can be stored again', async () => {
      const { account, connection } = await makePipeline(admin, 'kim@example.com', '1000001');
      const add = {
        ...{ connectionId: connection.id, listName: 'x', crmListId: '1', platform: 'smartlead' as const },
        ...{ blockType: 'ADDRESS' as const, clientId: null, sequencerToken: 'key' },
      };
      const { blocklist } = await admin.run('blocklists/add', add);
      const place = { kind: 'webhook signing secret', id: 'oswhk_1' } as const;
      await query(
        `insert into webhooks (id, account_id, url, secret, created_at, updated_at)
          values ('oswhk_1', $1, 'https://hooks.example.com', $2, $3, $3)`,
        [account.id, admin.ctx.secrets.encrypt('secret', place), admin.clock.now()],
      );
      expect(await admin.run('secrets/discard', { isConfirmed: true })).toEqual({ discarded: [] });

      const { secrets } = opened.ctx;
      try {
        opened.ctx.secrets = createSecretBox([generateEncryptionKey()]);
        const token = { accountId: account.id, crm: 'HUBSPOT', organizationId: '1000001', crmToken: 'pat-new' };
        const again = () => admin.run('connections/add', { ...token, organizationDomain: 'a.example.com' });
        expect(await expectRefusal('conflict', again())).toContain('svc-server secrets discard');
        const refusal = await expectRefusal('not_confirmed', admin.run('secrets/discard', {}));
        expect(refusal).toContain(
          `CRM token of connection ${connection.id}, webhook signing secret of webhook oswhk_1, sequencer token of block list ${blocklist.id}`,
        );
        expect(refusal).toContain('--yes');
        expect((await check('encryption key'))?.status).toBe('FAIL');

        const { discarded } = await admin.run('secrets/discard', { isConfirmed: true });
        expect(discarded).toEqual([
          { kind: 'CRM token', id: connection.id },
          place,
          { kind: 'sequencer token', id: blocklist.id },
        ]);
        expect((await check('encryption key'))?.status).toBe('PASS');
        expect((await query('select is_active from webhooks')).rows).toEqual([{ is_active: false }]);
        expect((await query('select sequencer_token from blocklists')).rows).toEqual([{ sequencer_token: null }]);
        const listed = await admin.run('connections/list', {});
        expect(listed.connections).toMatchObject([{ status: 'disconnected' }]);
        expect(await again()).toMatchObject({ isNew: false, connection: { status: 'ready' } });
      } finally {
        opened.ctx.secrets = secrets;
      }
    });

    test('secrets reencrypt: works in batches and keeps secrets that were replaced meanwhile', async () => {
      const oldKey = generateEncryptionKey();
      const newKey = generateEncryptionKey();
      admin.ctx.secrets = createSecretBox([newKey]);
      const { account } = await makePipeline(admin, 'kim@example.com');
      const secrets = createSecretBox([oldKey]);
      const ids = Array.from({ length: 450 }, (_, index) => `oswhk_${index}`);
      const sealed = ids.map((id) => secrets.encrypt(`of ${id}`, { kind: 'webhook signing secret', id }));
      await query(
        `insert into webhooks (id, account_id, url, secret, created_at, updated_at)
          select id, $1, 'https://x', secret, $2, $2 from unnest($3::text[], $4::text[]) as w (id, secret)`,
        [account.id, admin.clock.now(), ids, sealed],
      );
      admin.ctx.secrets = createSecretBox([newKey, oldKey]);
      expect(await admin.run('secrets/reencrypt', {})).toEqual({ reencrypted: 450, current: 1, unreadable: [] });
      const place = { kind: 'webhook signing secret', id: 'oswhk_0' } as const;
      const [before = ''] = sealed;
      expect(await replaceSealedSecret(admin.ctx.db, place, { before, after: 'x' })).toBe(false);
      const { rows } = await admin.ctx.db.query<{ secret: string }>('select secret from webhooks where id = $1', [
        place.id,
      ]);
      expect(admin.ctx.secrets.decrypt(rows[0]?.secret ?? '', place)).toBe('of oswhk_0');
    });

    test('encryption key: fails for a changed secret', async () => {
      const { connection } = await makePipeline(admin, 'kim@example.com');
      await query(`update connections set crm_token = left(crm_token, -4) || 'AAAA' where id = $1`, [connection.id]);
      expect(await check('encryption key')).toMatchObject({ status: 'FAIL' });
    });

    test('world: warns of a loaded world, fails for demo keys beside own data; neither may start', async () => {
      const { account } = await makePipeline(admin, 'kim@example.com');
      const { db, branding } = admin.ctx;
      await expect(assertNoWorld(db, branding, admin.clock.now())).resolves.toBeUndefined();
      const { key } = await admin.run('keys/create', { accountId: account.id, name: 'x' });
      await query('update api_keys set token_hash = $1', [hashApiKey('osapi_demo_read')]);
      expect(await check('world')).toMatchObject({ status: 'FAIL', fix: expect.stringContaining(`revoke ${key.id}`) });
      await expect(assertNoWorld(db, branding, admin.clock.now())).rejects.toThrow(/keys revoke ID/);
      await query('update api_keys set expires_at = $1', [admin.clock.now()]);
      expect(await check('world')).toMatchObject({ status: 'PASS' });
      await query('update api_keys set expires_at = null');
      await admin.run('keys/revoke', { id: key.id });
      expect(await check('world')).toMatchObject({ status: 'PASS' });
      await query(`insert into service_meta (key, value) values ('world', 'mine')`);
      expect(await check('world')).toMatchObject({ status: 'WARN', message: expect.stringContaining('"mine"') });
      await expect(assertNoWorld(db, branding, admin.clock.now())).rejects.toThrow(
        /"mine".*--demo.*--world.*--data-dir.*DATABASE_URL/,
      );
      await query('truncate service_meta');
    });

    test('log months: warns when no worker has made them', async () => {
      expect(await check('log months')).toBeUndefined();
      await query('update schema_migrations set applied_at = $1', [new Date(admin.clock.now().getTime() - 90_000_000)]);
      expect(await check('log months')).toMatchObject({
        status: 'WARN',
        // Other tests, of which this one may have the database, make months of the past.
        message: expect.stringMatching(/requests \((none|20\d\d-\d\d-01)\)/),
        fix: expect.stringContaining('role worker'),
      });
    });

    test('migrations: a schema that this release does not upgrade', async () => {
      const back = knownSchema() - 18;
      await query('update schema_migrations set version = version - $1', [back]);
      expect(await check('migrations')).toMatchObject({
        status: 'FAIL',
        message: 'the database has version 18, which this release does not upgrade',
        fix: expect.stringContaining('docs/upgrading.md'),
      });
      await query('update schema_migrations set version = version + $1', [back]);
    });

    test('migrations: reports missing ones and those newer than this release', async () => {
      await query('delete from schema_migrations where version = 37');
      expect(await check('migrations')).toMatchObject({
        status: 'FAIL',
        message: 'not applied: 37 validated-mails',
        fix: expect.stringContaining('svc-server migrate'),
      });
      expect(await check('queue')).toBeUndefined();
      await query(`insert into schema_migrations (version, name, applied_at) values (37, 'x', $1), (999, 'x', $1)`, [
        new Date(),
      ]);
      expect(await check('migrations')).toMatchObject({
        status: 'WARN',
        message: expect.stringContaining('999'),
        fix: expect.stringContaining('until svc-server migrate --finish'),
      });
      await query('update schema_programs set oldest = 999');
      expect(await check('migrations')).toMatchObject({ status: 'FAIL', message: expect.stringContaining('999') });
      await query('alter table schema_migrations rename to mixed_up');
      try {
        expect(await check('migrations')).toMatchObject({
          status: 'FAIL',
          message: expect.stringContaining('22 from-first-server'),
        });
      } finally {
        // The database is reused: its rows are restored then, its tables are not.
        await query('alter table mixed_up rename to schema_migrations');
      }
    });
  });
});
