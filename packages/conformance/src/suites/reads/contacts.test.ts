import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import { outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { aggregateOutreach, type OutreachRow, sumOutreachRows } from '@svc/domain/contacts/outreach';
import type { DeliveryRow, SyncRow } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import type { Query } from '../../harness/client.ts';
import { CATEGORIZED } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { accessOf, DAY_MS, READING_KEYS, visibleRows, WORLD } from '../../harness/world.ts';

const CRM_OF = new Map(WORLD.connections.map(({ id, crm }) => [id, crm]));
const PLATFORM_OF = new Map(WORLD.sources.map(({ id, platform }) => [id, platform]));
const PROFILE_CRMS: readonly string[] = PROFILE_URL_CRMS;

const LENA = 'https://www.linkedin.com/in/lena-ortiz';

/** All recipients and category signals of all tenants. */
const CONTACTS = [
  ...new Set([
    ...WORLD.syncs.map(({ toEmail }) => toEmail.toLowerCase()),
    ...WORLD.deliveries.flatMap(({ toEmail }) => toEmail?.toLowerCase() ?? []),
    ...WORLD.categorySignals.map(({ identity }) => identity),
  ]),
].sort();
const identityOf = (contact: string): Query => (contact.includes('://') ? { profileUrl: contact } : { email: contact });

onEveryTarget((api) => {
  describe('getContactOutreach', () => {
    const ask = (query: Query, key?: string) => api.read('getContactOutreach', { query, ...(key && { key }) });
    const now = () => api.target().clock.now();

    test.each([0, 1, 2, 3, 4, 5])(
      '200 with the outreach of every contact of the world, part %i of 0 to 5',
      async (part) => {
        const key = 'osapi_demo_read';
        const contacts = CONTACTS.filter((_contact, index) => index % 6 === part);
        let found = 0;
        for (const contact of contacts) {
          const query = identityOf(contact);
          const answer = await ask(query, key);
          expect(answer).toEqual(expectedOutreach(key, query, now()));
          found += answer.found ? 1 : 0;
        }
        expect(found).toBeGreaterThan(15);
        expect(found).toBeLessThan(contacts.length);
      },
    );

    test.each(READING_KEYS)('200 with the rows that %s sees', async (key) => {
      const named = ['replied', 'opened', 'bounced', 'unsubscribed', 'category', 'category-emea', 'retried'];
      const others = CONTACTS.filter((_contact, index) => index % 9 === 0);
      for (const contact of [...named.map((name) => `${name}@example.com`), LENA, ...others]) {
        const query = identityOf(contact);
        expect(await ask(query, key)).toEqual(expectedOutreach(key, query, now()));
      }
    });

    test('200 with found false, empty lists and nulls for an unknown contact', async () => {
      const answer = await ask({ email: 'nobody@example.com' });
      expect(answer).toEqual({
        email: 'nobody@example.com',
        query: { email: 'nobody@example.com', profileUrls: [] },
        found: false,
        summary: {
          everContacted: false,
          everEmailed: false,
          everOpened: false,
          everCalled: false,
          everSocialTouched: false,
          totalEvents: 0,
          firstTouchAt: null,
          lastTouchAt: null,
          daysSinceLastTouch: null,
          lastEventType: null,
          lastPlatform: null,
        },
        eventTypes: [],
        platforms: [],
        outcomes: {
          replied: false,
          lastReplyAt: null,
          bounced: false,
          unsubscribed: false,
          lastCategoryName: null,
          lastCategoryAt: null,
        },
        doNotContact: { value: false, reasons: [] },
        blocklists: { evaluated: false, matched: false, matches: [] },
      });
    });

    test('200 with an email in any case', async () => {
      const answer = await ask({ email: 'Replied@EXAMPLE.com' });
      expect(answer).toEqual(await ask({ email: 'replied@example.com' }));
      expect(answer).toMatchObject({ email: 'replied@example.com', found: true, outcomes: { replied: true } });
    });

    test('200 with everContacted false for opens', async () => {
      const { found, summary } = await ask({ email: 'opened@example.com' });
      expect([found, summary.everOpened, summary.everContacted]).toEqual([true, true, false]);
    });

    test.each(['bounced', 'unsubscribed'])('200 with the hard signal %s', async (reason) => {
      const { doNotContact } = await ask({ email: `${reason}@example.com` });
      expect(doNotContact).toEqual({ value: true, reasons: [reason] });
    });

    test('200 with found true for a category signal, which is not a touch', async () => {
      const answer = await ask({ email: 'category@example.com' });
      expect(answer).toMatchObject({ found: true, summary: { totalEvents: 0, daysSinceLastTouch: null } });
      expect(answer.outcomes.lastCategoryName).toBe('Interested');
    });

    test('200 with a category event counted, which is not a touch', async () => {
      const answer = await ask({ email: CATEGORIZED });
      expect(answer).toMatchObject({
        found: true,
        summary: { totalEvents: 1, firstTouchAt: null, lastTouchAt: null, lastEventType: null },
      });
      expect(answer.eventTypes).toMatchObject([{ eventType: 'LEAD_CATEGORY_UPDATED', count: 1 }]);
    });

    test('200 with a retried payload counted once', async () => {
      const rows = visibleRows('osapi_demo_read', WORLD.syncs).filter(
        ({ toEmail }) => toEmail === 'retried@example.com',
      );
      const { summary } = await ask({ email: 'retried@example.com' });
      expect([rows.length, summary.totalEvents]).toEqual([2, 1]);
    });

    test('200 with the same answer for every spelling of a profile', async () => {
      const plain = await ask({ profileUrl: LENA });
      expect(plain).toMatchObject({ email: null, query: { email: null, profileUrls: [LENA] }, found: true });
      for (const profileUrl of [
        'linkedin.com/in/lena-ortiz',
        'http://de.linkedin.com/in/Lena-Ortiz/?trk=x#about',
        'https://m.linkedin.com/in/lena-ortiz/details/experience/',
        [LENA, 'linkedin.com/in/LENA-ORTIZ'],
        `${LENA},//linkedin.com/in/lena-ortiz`,
      ]) {
        expect(await ask({ profileUrl })).toEqual(plain);
      }
    });

    test('200 with the same answer for every host of the short-post network', async () => {
      const plain = await ask({ profileUrl: 'https://x.com/tomasz_zielin' });
      expect(plain.found).toBe(true);
      for (const host of [
        'twitter.com',
        'www.x.com',
        'mobile.twitter.com',
        'fxtwitter.com',
        'vxtwitter.com',
        'fixvx.com',
      ]) {
        expect(await ask({ profileUrl: `${host}/@Tomasz_Zielin/status/12345?s=20` })).toEqual(plain);
      }
    });

    test('200 without rows of a profile on a CRM that does not store profile URLs', async () => {
      const row = WORLD.syncs.find(({ connectionId, toEmail }) => connectionId === 3 && toEmail.includes('://'));
      if (row === undefined) throw new Error('The demo world has no profile on PIPEDRIVE.');
      const query = { profileUrl: row.toEmail };
      const answer = await ask(query);
      expect(answer).toEqual(expectedOutreach('osapi_demo_read', query, now()));
      expect(answer.found).toBe(false);
    });

    test('200 with the union of all identities', async () => {
      const query = { email: 'replied@example.com', profileUrl: [LENA, 'x.com/tomasz_zielin'] };
      const answer = await ask(query);
      expect(answer).toEqual(expectedOutreach('osapi_demo_read', query, now()));
      const parts = await Promise.all([
        ask({ email: query.email }),
        ...query.profileUrl.map((profileUrl) => ask({ profileUrl })),
      ]);
      const total = parts.reduce((sum, { summary }) => sum + summary.totalEvents, 0);
      expect(answer.summary.totalEvents).toBe(total);
    });

    test('200 for five profile URLs', async () => {
      const profileUrl = ['a', 'b', 'c', 'd', 'e'].map((name) => `linkedin.com/in/${name}`).join(',');
      expect((await ask({ profileUrl })).query.profileUrls).toHaveLength(5);
    });

    test.each<[string, Query]>([
      ['no identity', {}],
      ['an empty email', { email: '' }],
      ['two emails', { email: ['a@example.com', 'b@example.com'] }],
      ['a domain as email', { email: 'example.com' }],
      ['no domain', { email: 'a@' }],
      ['a single label', { email: 'a@localhost' }],
      ['white space in the email', { email: 'a b@example.com' }],
      ['two addresses in one', { email: 'a@example.com,b@example.com' }],
      ['an empty profileUrl', { profileUrl: '' }],
      ['an empty entry', { profileUrl: `${LENA},` }],
      ['a domain as profileUrl', { profileUrl: 'example.com' }],
      ['a network without profile', { profileUrl: 'https://www.linkedin.com/' }],
      ['a company page', { profileUrl: 'https://www.linkedin.com/company/example' }],
      ['a similar host', { profileUrl: 'https://linkedin.com.example.com/in/lena-ortiz' }],
      ['another scheme', { profileUrl: 'ftp://linkedin.com/in/lena-ortiz' }],
      ['an email as profileUrl', { profileUrl: 'a@example.com' }],
      ['six profile URLs', { profileUrl: Array(6).fill(LENA) }],
      ['six in one list, the same ones', { profileUrl: Array(6).fill(LENA).join(',') }],
      ['a valid email beside a bad profileUrl', { email: 'replied@example.com', profileUrl: 'x' }],
      ['a bad email beside a valid profileUrl', { email: 'x', profileUrl: LENA }],
    ])('400 for %s', async (_name, query) => {
      const answer = await api.call('getContactOutreach', { query });
      expect(answer.json).toEqual({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
    });

    proveKeyRefusals(api, 'getContactOutreach', { query: { email: 'replied@example.com' } }, {});

    test('200 with whole days since the last touch, rounded down', async () => {
      const query = { email: 'replied@example.com' };
      const { summary } = await ask(query);
      await api.target().clock.advance(DAY_MS);
      expect((await ask(query)).summary.daysSinceLastTouch).toBe(summary.daysSinceLastTouch + 1);
      const toNextDay = DAY_MS - ((now().getTime() - Date.parse(summary.lastTouchAt)) % DAY_MS);
      await api.target().clock.advance(toNextDay - 1);
      expect((await ask(query)).summary.daysSinceLastTouch).toBe(summary.daysSinceLastTouch + 1);
      await api.target().clock.advance(1);
      expect((await ask(query)).summary.daysSinceLastTouch).toBe(summary.daysSinceLastTouch + 2);
    });
  });
});

/** Computes the answer from the rows that the key sees. */
function expectedOutreach(key: string, query: Query, now: Date) {
  const identity = parseContactIdentity({ email: textOf(query['email']), profileUrl: textOf(query['profileUrl']) });
  const { emailKeys, profileKeys, categoryKeys } = outreachKeys(identity);
  const { connectionIds } = accessOf(key);
  const isMeant = (connectionId: number, value: string, emails: string[], profiles: string[]) =>
    emails.includes(value) || (PROFILE_CRMS.includes(CRM_OF.get(connectionId) ?? '') && profiles.includes(value));
  const matches = (connectionId: number, toEmail: string | null) =>
    toEmail !== null && isMeant(connectionId, toEmail.toLowerCase(), emailKeys, profileKeys);
  const rows = rowsOf(key);
  const syncs: OutreachRow[] = rows.syncs.filter((row) => matches(row.connectionId, row.toEmail));
  const deliveries = rows.deliveries
    .filter((row) => matches(row.connectionId, row.toEmail))
    .flatMap(({ eventType, sourceId, payloadId, createdAt }): OutreachRow[] =>
      eventType === null ? [] : [{ eventType, platform: PLATFORM_OF.get(sourceId ?? 0) ?? null, payloadId, createdAt }],
    );
  const categorySignals = WORLD.categorySignals
    .filter(({ connectionId }) => connectionIds.includes(connectionId))
    .filter((row) => isMeant(row.connectionId, row.identity, categoryKeys.emails, categoryKeys.profiles))
    .map(({ categoryName, at }) => ({ name: categoryName, at }));
  return aggregateOutreach({ identity, sums: sumOutreachRows([...syncs, ...deliveries]), categorySignals, now });
}

function textOf(value: Query[string]): string | string[] | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' ? value.map(String) : String(value);
}

const rowsByKey = new Map<string, { syncs: SyncRow[]; deliveries: DeliveryRow[] }>();

/** Returns the log rows that a key sees; cached. */
function rowsOf(key: string): { syncs: SyncRow[]; deliveries: DeliveryRow[] } {
  const rows = rowsByKey.get(key) ?? {
    syncs: visibleRows(key, WORLD.syncs),
    deliveries: visibleRows(key, WORLD.deliveries),
  };
  rowsByKey.set(key, rows);
  return rows;
}
