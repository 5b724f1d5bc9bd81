import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEMO, NOW, read } from '../../../test/support/demo.ts';

const world = createDemoWorld();
const outreach = (query: string, key?: string) => read(world, `/api/v1/contacts/outreach?${query}`, key);
const NOTHING = { found: false, eventTypes: [], platforms: [], doNotContact: { value: false, reasons: [] } };

describe('getContactOutreach', () => {
  test("200 with events of both logs, ignoring the recipient's letter case", () => {
    const replied = outreach('email=Replied@Example.COM');
    expect(replied).toMatchObject({ email: 'replied@example.com', found: true, outcomes: { replied: true } });
    const rows = [...DEMO.syncs, ...DEMO.deliveries].filter(
      (row) => row.toEmail === 'replied@example.com' && [1, 2, 3].includes(row.connectionId) && row.eventType !== null,
    );
    const events = new Set(rows.map((row) => `${row.payloadId ?? `row ${row.id}`} ${row.eventType}`));
    expect(replied.summary.totalEvents).toBe(events.size);
  });

  test.each([
    ['opened@example.com', { summary: { everOpened: true, everContacted: false } }],
    ['bounced@example.com', { doNotContact: { value: true, reasons: ['bounced'] } }],
    ['unsubscribed@example.com', { doNotContact: { value: true, reasons: ['unsubscribed'] } }],
    ['category@example.com', { found: true, summary: { totalEvents: 0, daysSinceLastTouch: null } }],
    ['nobody@example.com', NOTHING],
  ])('200 for %s', (email, expected) => {
    expect(outreach(`email=${email}`)).toMatchObject(expected);
  });

  test('200 by profile URL, only on connections whose CRM stores them', () => {
    const stored = (host: string, connectionId: number) =>
      DEMO.syncs.find((row) => row.connectionId === connectionId && row.toEmail.includes(host))?.toEmail ?? '';
    for (const host of ['linkedin.com/in/', 'x.com/']) {
      expect(outreach(`profileUrl=${encodeURIComponent(stored(host, 1))}`).found).toBe(true);
    }
    const onPipedrive = DEMO.syncs.find((row) => row.connectionId === 3 && row.toEmail.includes('://'))?.toEmail ?? '';
    expect(onPipedrive).not.toBe('');
    expect(outreach(`profileUrl=${encodeURIComponent(onPipedrive)}`)).toMatchObject(NOTHING);
    const profileUrl = DEMO.syncs.find((row) => row.connectionId === 1 && row.toEmail.includes('://'))?.toEmail ?? '';
    const crmless = DEMO.connections.map((row) => ({ ...row, crm: 'PIPEDRIVE' }));
    const query = `/api/v1/contacts/outreach?profileUrl=${encodeURIComponent(profileUrl)}`;
    expect(read(createDemoWorld({ data: { connections: crmless } }), query)).toMatchObject(NOTHING);
  });

  test('200 without events of another tenant or of connections that the key does not see', () => {
    // The other tenant has only a bounce for this address.
    const bounced = (key?: string) => outreach('email=replied@example.com', key).outcomes.bounced;
    expect([bounced(), bounced('osapi_demo_other')]).toEqual([false, true]);
    expect(outreach('email=replied@example.com', 'osapi_demo_other').summary.totalEvents).toBe(1);
    const onlyOn = (connectionId: number) =>
      DEMO.syncs.find(
        (row) =>
          row.connectionId === connectionId &&
          !DEMO.syncs.some((other) => other.toEmail === row.toEmail && other.connectionId !== connectionId) &&
          !DEMO.deliveries.some((other) => other.toEmail === row.toEmail),
      )?.toEmail ?? '';
    expect(outreach(`email=${encodeURIComponent(onlyOn(2))}`).found).toBe(true);
    expect(outreach(`email=${encodeURIComponent(onlyOn(2))}`, 'osapi_demo_connection')).toMatchObject(NOTHING);
  });

  test("200: a delivery has its source's platform, or none when the source is deleted", () => {
    const sync = DEMO.syncs.find(({ toEmail }) => toEmail === 'replied@example.com');
    const delivery = DEMO.deliveries.find(({ connectionId }) => connectionId === 1);
    if (sync === undefined || delivery === undefined) throw new Error('the demo world has both');
    const row = {
      ...delivery,
      sourceId: 1,
      eventType: 'EMAIL_SENT',
      toEmail: 'New@example.com',
      payloadId: 1,
      createdAt: NOW,
    };
    const withRow = (changes: Partial<typeof delivery>) => {
      const chunks = [[{ ...row, ...changes }]];
      const data = createDemoWorld({ data: { deliveries: { chunks, length: 1 } } });
      return read(data, '/api/v1/contacts/outreach?email=new@example.com');
    };
    const platform = DEMO.sources.find(({ id }) => id === 1)?.platform;
    expect(withRow({}).summary).toMatchObject({ totalEvents: 1, lastPlatform: platform, daysSinceLastTouch: 0 });
    expect(withRow({ sourceId: 99_999 })).toMatchObject({
      found: true,
      platforms: [],
      summary: { lastPlatform: null },
    });
    expect(withRow({ eventType: null })).toMatchObject(NOTHING);
    expect(withRow({ toEmail: null })).toMatchObject(NOTHING);
  });

  test('400 without an identity', () => {
    expect(ask(world, '/api/v1/contacts/outreach').status).toBe(400);
    expect(ask(world, '/api/v1/contacts/outreach?email=example.com').status).toBe(400);
  });
});
