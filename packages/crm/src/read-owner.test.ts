/** What each connector says about owners. How the owner of a contact is found is tested with the server (`every-crm.test.ts`). */
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, describe, expect, test } from 'vitest';
import { accessTo, memoryRecords } from '../test/support/batch.ts';
import { inboundEvent } from '../test/support/inbound-event.ts';
import { createHubspotConnector } from './hubspot/connector.ts';
import { createPipedriveConnector } from './pipedrive/connector.ts';
import type { CrmConnector, CrmOwnerRead } from './port/types.ts';
import { createSalesforceConnector } from './salesforce/connector.ts';

const REP = 'Rep@example.com';
const TOKEN = 'a-token';
const NOBODY = inboundEvent({ contact: { ...inboundEvent().contact, email: 'nobody@example.org' } });
const PROFILE = inboundEvent({
  toEmail: 'https://www.linkedin.com/in/nobody',
  contact: { ...inboundEvent().contact, email: null, profileUrl: 'https://www.linkedin.com/in/nobody' },
});

interface Crm {
  connector: CrmConnector;
  /** The id of a user who is there, and of one who is not. */
  userId: string;
  unknownId: string;
  failNext(count: number, status: number): void;
  close(): Promise<void>;
}

const options = (baseUrl: string) => ({ fetch, baseUrl, timeoutMs: 60_000 });

describe.each<[string, () => Promise<Crm>]>([
  [
    'HubSpot',
    async () => {
      const crm = await startHubspotSimulator({ tokens: [TOKEN], owners: [REP] });
      return { ...crm, connector: createHubspotConnector(options(crm.url)), userId: '7001', unknownId: '7999' };
    },
  ],
  [
    'Salesforce',
    async () => {
      const crm = await startSalesforceSimulator({
        tokens: [TOKEN],
        users: [{ email: REP }, { email: 'gone@example.com', isActive: false }],
      });
      const idOf = (email: string) => crm.records('User').find(({ values }) => values['Email'] === email)?.id ?? '';
      const connector = createSalesforceConnector(options(crm.url));
      return { ...crm, connector, userId: idOf(REP), unknownId: idOf('gone@example.com') };
    },
  ],
  [
    'Pipedrive',
    async () => {
      const crm = await startPipedriveSimulator({ tokens: [TOKEN], users: [REP] });
      return { ...crm, connector: createPipedriveConnector(options(crm.url)), userId: '501', unknownId: '999' };
    },
  ],
])('%s', async (_name, start) => {
  const crm = await start();
  afterAll(() => crm.close());
  const read = (of: CrmOwnerRead['of']) =>
    crm.connector.readOwner?.({ access: accessTo(TOKEN), organizationId: '1', records: memoryRecords(), of });

  test('a user has the address of their id; a user who is not there has none', async () => {
    expect(await read({ userId: crm.userId })).toEqual({ status: 'owner', address: 'rep@example.com' });
    expect(await read({ userId: crm.unknownId })).toEqual({ status: 'owner', address: null });
    expect(await read({ userId: "x' OR '1" })).toEqual({ status: 'owner', address: null });
  });

  test('a contact that is not there has no owner, and nothing is made', async () => {
    expect(await read({ event: NOBODY })).toEqual({ status: 'owner', address: null });
    expect(await read({ event: PROFILE })).toEqual({ status: 'owner', address: null });
  });

  test('a failure is an outcome', async () => {
    crm.failNext(1, 503);
    expect(await read({ event: NOBODY })).toMatchObject({ status: 'error', retry: { afterMs: null } });
  });
});
