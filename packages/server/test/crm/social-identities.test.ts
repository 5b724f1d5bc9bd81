/**
 * A lead who is known only by a profile, from HeyReach's posts to the CRM and to look-ups, on every CRM and on both
 * databases, over real HTTP: the person is one record, also when a later event brings the address.
 */
import { createCrmConnectors } from '@svc/crm';
import { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } from '@svc/simulators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grant, writeGrant } from '@svc/engine/crm/grants';
import { insertNewRow } from '@svc/engine/store/database/rows';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const PROFILE_URL = 'https://www.linkedin.com/in/ines-marchand';
const EMAIL = 'ines@ateliernord.example.org';
/** Spellings of the profile that HeyReach and clients may use. */
const ALIASES = [
  PROFILE_URL,
  'http://linkedin.com/in/ines-marchand',
  'linkedin.com/in/Ines-Marchand/',
  'https://fr.linkedin.com/in/ines-marchand/?trk=people#about',
  'm.linkedin.com/in/ines-marchand/details/experience/',
];

interface Person {
  email: string | null;
  profileUrl: string | null;
}

interface StartedCrm {
  url: string;
  people(): Person[];
  close(): Promise<void>;
}

interface CrmCase {
  crm: string;
  /** Connection of the demo world. */
  connectionId: number;
  /** Whether a look-up by profile URL finds what was written to it. */
  keepsProfileUrls: boolean;
  grantOf(url: string): Grant;
  start(): Promise<StartedCrm>;
}

const token = (): Grant => ({ type: 'private', accessToken: 'a-token' });
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

const CRMS: readonly CrmCase[] = [
  {
    ...{ crm: 'HUBSPOT', connectionId: 1, keepsProfileUrls: true, grantOf: token },
    async start() {
      const crm = await startHubspotSimulator();
      const people = () =>
        crm.contacts().map(({ properties }) => ({
          email: textOf(properties['email']),
          profileUrl: textOf(properties['svc_profile_url']),
        }));
      return { ...crm, people };
    },
  },
  {
    ...{ crm: 'SALESFORCE', connectionId: 2, keepsProfileUrls: true },
    grantOf: (url) => ({
      ...{ type: 'client_credentials', accessToken: 'a-token', expiresAt: null, apiUrl: url, loginUrl: url },
      ...{ clientId: 'app', clientSecret: 'secret' },
    }),
    async start() {
      const crm = await startSalesforceSimulator();
      const people = () =>
        crm.state().contacts.map(({ values }) => ({
          email: textOf(values['Email']),
          profileUrl: textOf(values['Svc_Profile_Url__c']),
        }));
      return { ...crm, people };
    },
  },
  {
    ...{ crm: 'PIPEDRIVE', connectionId: 3, keepsProfileUrls: false, grantOf: token },
    async start() {
      const crm = await startPipedriveSimulator();
      const people = () =>
        crm.state().persons.map((person) => ({
          email: textOf(person.emails[0]?.value),
          profileUrl: textOf(Object.values(person.custom_fields)[0]),
        }));
      return { ...crm, people };
    },
  },
];

const CASES = backends.flatMap((backend) => CRMS.map((crm) => ({ ...crm, backend, name: backend.name })));

describe.each(CASES)('$crm on $name', ({ backend, crm: type, connectionId, keepsProfileUrls, grantOf, start }) => {
  describe.skipIf(!backend.isAvailable)('a lead known by a profile', () => {
    let server: TestServer;
    let crm: StartedCrm;
    beforeAll(async () => {
      server = await startTestServer(backend);
      crm = await start();
      const { ctx } = server.running;
      const now = () => server.clock.now();
      const baseUrls = { [type]: crm.url };
      const connectors = createCrmConnectors({ fetch: globalThis.fetch, timeoutMs: 60_000, now, baseUrls });
      ctx.crmConnector = (name) => connectors.get(name);
      await server.db.query('delete from jobs');
      const source = { connectionId, platform: 'heyreach', path: 'social', createdAt: now() };
      await insertNewRow(server.db, 'sources', source, 'path');
      const grant = ctx.secrets.encrypt(writeGrant(grantOf(crm.url)), { kind: 'CRM token', id: connectionId });
      await server.db.query(
        'update connections set crm_token = $2, capability_sync = true, recorded_error = null where id = $1',
        [connectionId, grant],
      );
    });
    afterAll(async () => {
      await server.close();
      await crm.close();
    });

    /** Posts an event; returns its sync. */
    async function post(event_type: string, lead: object): Promise<Record<string, unknown> | undefined> {
      server.clock.advance(60_000);
      const timestamp = server.clock.now().toISOString();
      const sender = { id: 41, full_name: 'Jonas Weil' };
      const body = { event_type, timestamp, sender, lead: { full_name: 'Inès Marchand', ...lead } };
      const answer = await server.post('/webhooks/social', body);
      for (let second = 0; second < 30; second += 1) {
        await server.running.runner.runDue();
        server.clock.advance(1_000);
      }
      const { rows } = await server.db.query<Record<string, unknown>>(
        'select event_type as "eventType", to_email as "toEmail", status from syncs where payload_id = $1',
        [answer.json.requestId],
      );
      return rows[0];
    }
    /** Event types that a look-up finds, with their counts. */
    async function lookUp(query: Record<string, string>): Promise<Record<string, number>> {
      const path = `/api/v1/contacts/outreach?${new URLSearchParams(query).toString()}`;
      const { json } = await server.get('getContactOutreach', path);
      const counts = json.eventTypes.map(({ eventType, count }: Record<string, unknown>) => [eventType, count]);
      expect(json.found).toBe(counts.length > 0);
      return Object.fromEntries(counts);
    }
    const ifKept = <Value extends object>(value: Value): Value | object => (keepsProfileUrls ? value : {});

    test('is written by the canonical profile URL, and found under every alias where the CRM keeps it', async () => {
      for (const [index, profile_url] of ALIASES.entries()) {
        const eventType = index === 0 ? 'MESSAGE_REPLY' : 'PROFILE_VIEWED';
        const name = index === 0 ? 'message_reply_received' : 'viewed_profile';
        expect(await post(name, { profile_url })).toEqual({ eventType, toEmail: PROFILE_URL, status: 'success' });
      }
      expect(crm.people()).toEqual([{ email: null, profileUrl: PROFILE_URL }]);
      const seen = { MESSAGE_REPLY: 1, PROFILE_VIEWED: ALIASES.length - 1 };
      for (const profileUrl of ALIASES) expect(await lookUp({ profileUrl })).toEqual(ifKept(seen));
      expect(await lookUp({ email: EMAIL })).toEqual({});
    });

    test('an event with address and profile joins the same person; each sync keeps its own recipient', async () => {
      const lead = { profile_url: ALIASES[3], email_address: EMAIL.toUpperCase() };
      expect(await post('connection_request_accepted', lead)).toEqual({
        ...{ eventType: 'CONNECTION_REQUEST_ACCEPTED', toEmail: EMAIL, status: 'success' },
      });
      expect(await post('message_sent', { profile_url: PROFILE_URL })).toMatchObject({ toEmail: PROFILE_URL });
      expect(crm.people()).toEqual([{ email: EMAIL, profileUrl: PROFILE_URL }]);

      const byEmail = { CONNECTION_REQUEST_ACCEPTED: 1 };
      const byUrl = { MESSAGE_REPLY: 1, MESSAGE_SENT: 1, PROFILE_VIEWED: ALIASES.length - 1 };
      expect(await lookUp({ email: EMAIL })).toEqual(byEmail);
      expect(await lookUp({ profileUrl: PROFILE_URL })).toEqual(ifKept(byUrl));
      expect(await lookUp({ email: EMAIL, profileUrl: PROFILE_URL })).toEqual({ ...byEmail, ...ifKept(byUrl) });
    });

    test('a handle on the short-post network is found under its hosts and status addresses', async () => {
      expect(await post('follow_sent', { profile_url: 'https://twitter.com/Ines_M' })).toMatchObject({
        toEmail: 'https://x.com/ines_m',
      });
      for (const profileUrl of [
        'x.com/ines_m',
        'http://www.twitter.com/ines_m/',
        'fxtwitter.com/@Ines_M/status/12?s=20',
      ]) {
        expect(await lookUp({ profileUrl })).toEqual(ifKept({ FOLLOW_SENT: 1 }));
      }
    });
  });
});
