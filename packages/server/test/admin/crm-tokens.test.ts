/** CRM tokens are checked at the CRM: when they are added, and by the doctor. */
import { type HubspotSimulator, startHubspotSimulator } from '@svc/simulators';
import type { CrmConnector } from '@svc/crm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkToken } from '@svc/operations/implemented/crm-tokens';
import { type Administration, expectRefusal, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

const TOKEN = 'pat-na1-good';
const HUB_ID = '4711';
const EVENT_SCOPES = [
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.schemas.contacts.read',
  'crm.schemas.contacts.write',
];

test('a Salesforce id of 15 characters is the organization that Salesforce names with 18', async () => {
  const checkAccess = async () => ({ status: 'accepted', organizationId: '00D5g00000AbCdEEAV', missing: [] }) as const;
  const ctx = { crmConnector: () => ({ checkAccess }) as unknown as CrmConnector };
  const access = { accessToken: TOKEN, tokenType: 'oauth', apiUrl: null } as const;
  const check = (organizationId: string) => checkToken(ctx, { crm: 'SALESFORCE', organizationId, access }, []);
  expect(await check('00D5g00000AbCdE')).toMatchObject({ state: 'usable' });
  expect(await check('00D5g00000AbCde')).toMatchObject({ state: 'other_account' });
});

describe('CRM tokens', () => {
  let crm: HubspotSimulator;
  let admin: Administration;
  let scopes: string[] | undefined;
  let accountId: number;
  beforeAll(async () => {
    crm = await startHubspotSimulator({
      tokens: [TOKEN],
      describeToken: () => ({ hubId: Number(HUB_ID), ...(scopes === undefined ? {} : { scopes }) }),
    });
    admin = await openAdministration(anyBackend, crm.url);
  });
  beforeEach(async () => {
    crm.reset();
    scopes = undefined;
    await admin.ctx.db.query('truncate accounts, jobs cascade');
    accountId = (await admin.run('accounts/create', { email: 'kim@example.com' })).account.id;
  });
  afterAll(async () => {
    await admin.close();
    await crm.close();
  });
  const add = (changes: object = {}) =>
    admin.run('connections/add', {
      ...{ accountId, crm: 'HUBSPOT', organizationId: HUB_ID, organizationDomain: 'northwind.example.com' },
      ...{ crmToken: TOKEN, checksToken: true, ...changes },
    });
  const countConnections = async () => (await admin.run('connections/list', {})).connections.length;
  const doctor = async () => (await admin.run('doctor/check', {})).checks.filter(({ name }) => name === 'CRM tokens');

  test('a good token is stored, and nothing else is said', async () => {
    expect(await add()).toMatchObject({ isNew: true, isTokenChecked: true, notices: [] });
    expect(await doctor()).toEqual([
      expect.objectContaining({ status: 'PASS', message: expect.stringMatching(/accepted .* needed: 1$/) }),
    ]);
  });

  test.each([
    ['a wrong token', { crmToken: 'pat-na1-wrong' }, /^HUBSPOT does not accept this token: .*401/],
    [
      'a token of another account',
      { organizationId: '12' },
      /^This token belongs to HUBSPOT account 4711, not 12: give --organization-id 4711/,
    ],
  ])('%s is refused, nothing is stored, and --no-check stores it', async (_name, changes, message) => {
    const refusal = await expectRefusal('invalid_input', add(changes));
    expect(refusal).toMatch(message);
    expect(refusal).toContain('--no-check');
    expect(refusal).not.toMatch(/pat-na1|\.\./);
    expect(await countConnections()).toBe(0);
    expect(await add({ ...changes, checksToken: false })).toMatchObject({ isNew: true, isTokenChecked: false });
  });

  test('missing scopes: those that events need are refused, others are named', async () => {
    scopes = EVENT_SCOPES.slice(0, 1);
    expect(await expectRefusal('invalid_input', add())).toContain(
      'crm.objects.contacts.write (contacts and engagements), crm.schemas.contacts.read',
    );
    // Without syncing no event is written.
    expect(await add({ sync: false })).toMatchObject({ isNew: true });
    scopes = EVENT_SCOPES;
    const { notices } = await add();
    expect(notices).toEqual([
      expect.stringMatching(
        /not needed yet: crm.objects.companies.read \(companies\), .*crm.lists.read \(block lists\)/,
      ),
    ]);
  });

  test('reconnecting needs the scopes of what its sources and block lists do', async () => {
    const { connection } = await add();
    await admin.run('sources/add', {
      connectionId: connection.id,
      platform: 'smartlead',
      assignContactOwner: true,
    });
    scopes = EVENT_SCOPES;
    expect(await expectRefusal('invalid_input', add())).toContain('crm.objects.owners.read (owners of contacts)');
    // A refused token disconnects it, and so does its operator.
    await admin.run('connections/disconnect', { id: connection.id });
    expect(await expectRefusal('invalid_input', add())).toContain('crm.objects.owners.read (owners of contacts)');
    await admin.run('capabilities/set', { connectionId: connection.id, sync: false });
    expect(await expectRefusal('invalid_input', add({ sync: true }))).toContain('crm.objects.owners.read');
    expect((await add()).notices).toEqual([expect.stringContaining('not needed yet')]);
  });

  test('a token whose scopes the CRM does not say is stored with a notice, and passes', async () => {
    crm.failNext(2, 404, { match: /access-token-info/ });
    expect((await add()).notices).toEqual(['HUBSPOT does not say which scopes this token has.']);
    expect(await doctor()).toEqual([
      expect.objectContaining({ status: 'PASS', message: expect.stringContaining('does not say their scopes: 1') }),
    ]);
  });

  test('a CRM that does not answer: refused with the way around it', async () => {
    crm.failNext(1, 503);
    const refusal = await expectRefusal('crm_unavailable', add());
    expect(refusal).toMatch(/^The token could not be checked: HubSpot answered 503/);
    expect(refusal).toContain('--no-check');
    expect(await countConnections()).toBe(0);
  });

  test('a CRM without a connector is not asked', async () => {
    const added = await add({ crm: 'PIPEDRIVE' });
    expect(added).toMatchObject({
      isTokenChecked: false,
      notices: [expect.stringContaining('cannot write to PIPEDRIVE')],
    });
    expect(crm.requests()).toEqual([]);
  });

  test('doctor: names each problem with the command that fixes it, and changes nothing', async () => {
    const { connection } = await add();
    const { connection: wrong } = await add({ crmToken: 'pat-na1-wrong', organizationId: '13', checksToken: false });
    const before = await admin.run('connections/list', {});
    scopes = EVENT_SCOPES.slice(1);
    const [missing, refused] = await doctor();
    expect(missing).toMatchObject({
      status: 'FAIL',
      message: `connection ${connection.id} (HUBSPOT 4711): the token lacks crm.objects.contacts.read (contacts and engagements)`,
      fix: expect.stringContaining(
        `svc-server connections add --account ${accountId} --crm HUBSPOT --organization-id 4711 --organization-domain northwind.example.com --token-file FILE`,
      ),
    });
    expect(refused).toMatchObject({ status: 'FAIL', message: expect.stringContaining(`connection ${wrong.id}`) });
    expect(refused?.message).toContain('401');
    expect(await admin.run('connections/list', {})).toEqual(before);
  });

  test('doctor: a CRM that does not answer is a warning, and the rest is not asked', async () => {
    for (const organizationId of Array.from({ length: 12 }, (_, index) => String(100 + index)))
      await add({ organizationId, checksToken: false });
    crm.failNext(10, 'reset');
    const lines = await doctor();
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 'WARN'));
    expect(lines.at(-1)?.message).toBe('2 more are not checked');
    expect(crm.requests()).toHaveLength(10);
  });

  test('doctor: a command of its own asks nobody about the tokens of a world', async () => {
    await add({ checksToken: false });
    await admin.ctx.db.query("insert into service_meta (key, value) values ('world', 'demo')");
    try {
      expect(await doctor()).toEqual([]);
      expect(crm.requests()).toEqual([]);
    } finally {
      await admin.ctx.db.query('delete from service_meta');
    }
  });
});
