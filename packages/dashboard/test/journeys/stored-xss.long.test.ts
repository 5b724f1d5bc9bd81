/** What strangers post, and what operators name, is only ever text on the pages: hostile text is in every field that takes it. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readPayloads } from '../../../../fixtures/payloads.ts';
import type { AdminInput, AdminOperationName, AdminResult } from '../../../operations/src/perform.ts';
import { performAdmin } from '../../../operations/src/perform.ts';
import { ROUTES } from '../../src/app/routes.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { exampleOf } from './support/examples.ts';
import { giveHostileNames } from './support/hostile-names.ts';
import { type HostilePayload, readableHostile, wholeHostile } from './support/hostile-payloads.ts';
import { countTags, ELEMENT, hostileText, KIND_COUNT, PROBE, scan, watchFor } from './support/hostile-text.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const payloads = readPayloads().filter(({ text }) => /^[{[]/.test(text) && text.length < 20_000);
const platforms = [...new Set(payloads.map(({ platform }) => platform))];
const MAPPED = {
  body: {
    event_type: 'email_replied',
    event_id: 'evt-81',
    lead_email: 'maren.holt@fjordfreight.example.org',
    sender_email: 'rep@northwind.example.com',
    occurred_at: '2026-03-01T10:00:00Z',
    campaign_name: 'Spring',
    reply_text: 'Sounds good.',
    first_name: 'Maren',
    company: { name: 'Fjord Freight', site: 'https://fjordfreight.example.org' },
  },
  mapping: {
    fields: {
      eventName: 'event_type',
      eventKey: 'event_id',
      occurredAt: 'occurred_at',
      email: 'lead_email',
      fromEmail: 'sender_email',
      campaignName: 'campaign_name',
      bodyText: 'reply_text',
      firstName: 'first_name',
      companyName: 'company.name',
    },
    eventTypes: { email_replied: 'EMAIL_REPLY' },
  },
};

const CONNECTION = 1;
const FEW_PAYLOADS = 20;

describe.skipIf(chromium === null)('hostile text', () => {
  let dashboard: Dashboard;
  let browser: Chromium;
  let tab: Tab;
  /** Sources by platform, and the newest of the other things. */
  const ids: Record<string, string> = {};
  let refusals = 0;
  let areCrmAnswersHostile = false;
  /** Every other answer of a CRM is a refusal with a hostile message. */
  const answerAsCrm: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!areCrmAnswersHostile || refusals++ % 2 === 0) return response;
    return Response.json(
      { status: 'error', category: 'VALIDATION_ERROR', message: hostileText(refusals) },
      { status: 400 },
    );
  };
  const perform = <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): Promise<AdminResult<Name>> =>
    performAdmin(dashboard.server.running.ctx, name, input, `user:${hostileText(0)}`);

  beforeAll(async () => {
    dashboard = await startDashboard({ fetch: answerAsCrm });
    browser = await startChromium(chromium ?? '', dashboard.url);
    tab = await (await browser.person()).signIn(await dashboard.invite('admin@example.com', 'admin'));
    watchFor(tab);
  });
  afterAll(async () => {
    await browser.close();
    await dashboard.close();
  });

  const seen = new Set<string>();
  let scans = 0;
  let fields = 0;
  const look = async () => {
    // The server refuses filters that cannot be, and to try a policy on a request without events; it has no webhook with a hostile id.
    const others = tab.findings.filter((finding) => !/status of 4(?:00|04|09) .*\/dashboard\/api\//.test(finding));
    tab.findings.splice(0, Infinity, ...others);
    const tags = await scan(tab);
    for (const tag of tags) seen.add(tag);
    scans += 1;
    expect(tab.findings).toEqual([]);
    return tags;
  };
  /** Opens a page without loading the application again. */
  const go = async (path: string, title: string) => {
    const url = new URL(`${dashboard.url}${path}`).pathname;
    await tab.evaluate(`history.pushState(null, '', ${JSON.stringify(url)})`);
    await tab.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await tab.settle();
  };

  test.each([...platforms, 'mapped'])('in each field of the payloads of %s', async (platform) => {
    const mapping = platform === 'mapped' ? MAPPED.mapping : null;
    const name = platform === 'mapped' ? 'my-dialer' : platform;
    const { source } = await perform('sources/add', { connectionId: CONNECTION, platform: name, mapping } as never);
    await perform('destinations/bind', { destinationId: 1, sourceId: source.id, eventTypes: ['EMAIL_REPLY'] } as never);
    ids['sources'] = String(source.id);
    const originals =
      platform === 'mapped'
        ? [{ text: JSON.stringify(MAPPED.body), headers: {} }]
        : payloads.filter((each) => each.platform === platform);
    const {
      rows: [newest],
    } = await dashboard.server.db.query<{ id: number }>('select max(id)::int as id from requests');
    const post = async ({ text, fields: count }: HostilePayload, headers: Readonly<Record<string, string>>) => {
      fields += count;
      const hostile = { ...headers, 'user-agent': hostileText(0), 'x-request-id': hostileText(2) };
      const { status } = await dashboard.server.post(new URL(source.url).pathname, text, hostile);
      expect(status).toBe(200);
    };
    for (const [index, { text, headers }] of originals.entries()) {
      const original = { platform: name, mapping: mapping as never, text, headers };
      // Each field of a platform gets other kinds in other payloads, so a platform with many needs one round.
      const rounds = platform === 'mapped' ? KIND_COUNT : originals.length < FEW_PAYLOADS ? 2 : 1;
      for (let round = 0; round < rounds; round += 1)
        await post(readableHostile(original, index * 5 + round * 7), headers);
      await post(wholeHostile(original, index), headers);
    }
    areCrmAnswersHostile = true;
    await dashboard.settle();
    areCrmAnswersHostile = false;
    const { rows } = await dashboard.server.db.query<{ id: number }>('select id::int from requests where id > $1', [
      newest?.id,
    ]);
    let withEvents = 0;
    for (const { id } of rows) {
      await go(`/accounts/1/requests/${id}`, `Request ${id}`);
      expect((await look()).length).toBeGreaterThan(1);
      withEvents += await tab.page.getByRole('region', { name: 'Events' }).locator('tbody tr').count();
    }
    expect(rows.length).toBeGreaterThan(originals.length);
    expect(withEvents).toBeGreaterThan(4);
  });

  test('in the names that operators give', async () => {
    const at = { accountId: 1, connectionId: CONNECTION, sourceId: Number(ids['sources']) };
    const taken = await giveHostileNames(at, perform);
    // These have a form of their own, which no hostile text has.
    expect([...taken].filter(([, count]) => count === 0).map(([field]) => field)).toEqual([
      'accounts/create email',
      'users/invite email',
      'connections/add organizationDomain',
      'connections/add clientId',
      'connections/add myDomain',
      'relays/add ccEmail',
      'blocklists/add crmListId',
      'sources/add platform',
    ]);
    const key = { authorization: 'Bearer osapi_demo_write' };
    for (let kind = 0; kind < KIND_COUNT; kind += 1) {
      const urls = [`https://hooks.example.com/${hostileText(kind)}`, 'https://hooks.example.com/'];
      for (const url of urls) {
        const { status, json } = await dashboard.server.post(
          '/api/v1/webhooks',
          { url, description: hostileText(kind), enabledEvents: [] },
          key,
        );
        expect([200, 400]).toContain(status);
        if (status === 200) ids['webhooks'] = json.id;
      }
    }
    const newest = (rows: readonly { id: number }[]) => String(Math.max(...rows.map(({ id }) => id)));
    ids['connections'] = newest((await perform('connections/list', { accountId: 1 })).connections);
    ids['destinations'] = newest((await perform('destinations/list', { accountId: 1 })).destinations);
    ids['relays'] = newest((await perform('relays/list', { accountId: 1 })).replyRelays);
    expect(Math.max(...taken.values())).toBeGreaterThan(KIND_COUNT / 2);
  });

  test('on every page', async () => {
    const shown: Record<string, number> = {};
    for (const route of ROUTES) {
      const address = exampleOf(route, ids);
      await tab.open(address);
      shown[address] = (await look()).length;
    }
    const withText = Object.keys(shown).filter((address) => (shown[address] ?? 0) > 0);
    expect(withText.length).toBeGreaterThan(12);
  });

  const FILTERS = ['account', 'connection', 'source', 'webhook', 'destination', 'status', 'type', 'delivered'];
  const OTHERS = ['range', 'from', 'to', 'since', 'outcome', 'who', 'operation', 'problem'];

  test('in the address of every page', async () => {
    for (const [index, route] of ROUTES.entries()) {
      const values = [...FILTERS, ...OTHERS].map((name, at) => [name, hostileText(index + at)]);
      const filters = new URLSearchParams(Object.fromEntries(values)).toString();
      await tab.open(`${exampleOf(route, ids)}?${filters}#${encodeURIComponent(hostileText(index).toWellFormed())}`);
      await look();
    }
    console.info(`${countTags()} hostile texts, ${fields} in payloads; ${seen.size} shown; ${scans} pages looked at`);
    expect(seen.size / countTags()).toBeGreaterThan(0.8);
  });

  test('would be noticed', async () => {
    await tab.evaluate(`{
      const image = document.createElement('img');
      image.src = '${PROBE}';
      const link = document.createElement('a');
      link.href = 'javascript:1';
      document.body.append(document.createElement('${ELEMENT}'), image, link);
    }`);
    await tab.forgive(/^request: .*probe/);
    await tab.forgive(/^console: .*probe/);
    await scan(tab);
    await tab.forgive(/<hostile-element>/);
    await tab.forgive(/a href javascript:1/);
    expect(tab.findings).toEqual([]);
  });
});
