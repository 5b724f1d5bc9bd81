/** `POST /webhooks/:code`: posts of sequencers, and the log rows that they cause. */
import { createHmac } from 'node:crypto';
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { FORWARDING_DELAY_MS } from '@svc/domain/forwarding/forwarding';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  inboundUrl,
  newCategory,
  newEvent,
  newInstantlyReply,
  newMessageReply,
  newReply,
  PROFILE_SOURCES,
  send,
  SOURCE,
} from '../../cases/inbound.ts';
import { onlyPost } from '../../cases/webhooks.ts';
import {
  MAPPED_SOURCE,
  READY_SOURCE,
  SECRET_SOURCES,
  SOURCE_SECRETS,
  UNBOUND_SOURCE_ID,
  UNSYNCED_SOURCE_ID,
} from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import type { Receiver } from '../../harness/targets/receivers.ts';
import { findRow, WORLD } from '../../harness/world.ts';

const LEGACY = findRow(WORLD.sources, ({ path }) => path.includes('/'), 'legacy source');
const INSTANTLY_ID = 2;
/** Bound to one source without delay and to another with a delay. */
const TWICE_BOUND = findRow(
  WORLD.destinations,
  ({ bindings }) => bindings.length === 2 && bindings.some(({ isDelayed }) => isDelayed),
  'destination that is bound twice',
);
const DAY_MS = 86_400_000;

/** Returns the body and headers of a post that carries the secret in the way of the source. */
function withSecret(
  { check, name }: Pick<(typeof SECRET_SOURCES)[number], 'check' | 'name'>,
  secret: string,
  now: Date,
): [body: string, headers: Record<string, string>] {
  const body = JSON.stringify({ a: 1, ...(check === 'body' ? { [name]: secret } : {}) });
  if (check === 'body') return [body, {}];
  if (check === 'header') return [body, { [name]: secret }];
  const t = String(Math.floor(now.getTime() / 1_000));
  if (check === 'timed-hmac-sha256') {
    const signature = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    return [body, { [name]: `t=${t},v1=${signature}` }];
  }
  if (check === 'standard-webhooks') {
    const key = Buffer.from(secret, 'base64');
    const signature = createHmac('sha256', key).update(`msg_1.${t}.${body}`).digest('base64');
    return [body, { 'webhook-id': 'msg_1', 'webhook-timestamp': t, [name]: `v1,${signature}` }];
  }
  const algorithm = check === 'hmac-sha1' ? 'sha1' : 'sha256';
  return [body, { [name]: createHmac(algorithm, secret).update(body).digest('hex') }];
}

onEveryTarget(
  (api) => {
    const nowIso = () => api.target().clock.now().toISOString();
    /** Returns the log rows of the last minute, newest first. */
    const recent = async (id: 'listRequests' | 'listSyncs' | 'listDeliveries', key = 'osapi_demo_read') => {
      const from = new Date(api.target().clock.now().getTime() - 60_000).toISOString();
      return (await api.read(id, { key, query: { from, to: nowIso(), limit: 500 } })).data;
    };
    const post = async (url: string, body: string | Buffer, headers: Record<string, string> = {}) => {
      const response = await api.fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers });
      return { status: response.status, json: JSON.parse(await response.text()) };
    };

    beforeEach(() => api.advance(120_000));

    describe('listRequests', () => {
      test('200 with the post to each form of source URL, under the id in its answer', async () => {
        for (const source of [findRow(WORLD.sources, ({ id }) => id === SOURCE.id, 'source'), LEGACY]) {
          const url = await inboundUrl(api, source.id);
          const receivedAt = nowIso();
          const answer = await post(url, JSON.stringify(newEvent()));
          expect(answer).toEqual({ status: 200, json: { received: true, requestId: expect.any(Number) } });
          const { id: sourceId, connectionId, path } = source;
          const id = answer.json.requestId;
          expect((await recent('listRequests'))[0]).toEqual({
            id,
            sourceId,
            connectionId,
            path,
            createdAt: receivedAt,
          });
          await api.advance(1);
        }
      });

      test('200 with any JSON of any content type, even if it is not understood', async () => {
        const url = await inboundUrl(api, SOURCE.id);
        const bodies = ['{}', '[]', 'null', '1', '"x"', '{"event_type":"NOBODY_KNOWS"}', '\ufeff{}', '[[[]]]'];
        for (const body of bodies) {
          for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'text/plain' }, {}]) {
            expect((await post(url, body, headers)).status).toBe(200);
          }
        }
        await api.target().settle();
        expect(await recent('listRequests')).toHaveLength(3 * bodies.length);
        expect(await recent('listSyncs')).toEqual([]);
      });

      test('200 with forms, even if they are not understood', async () => {
        const url = await inboundUrl(api, SOURCE.id);
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        for (const body of ['event_type=NOBODY_KNOWS', 'payload=%7B%7D', 'payload=%5B1%5D', 'a=1&a=2'])
          expect((await post(url, body, headers)).status).toBe(200);
        await api.target().settle();
        expect(await recent('listRequests')).toHaveLength(4);
      });

      test('200 without posts that were refused', async () => {
        const url = await inboundUrl(api, SOURCE.id);
        const base = url.slice(0, url.lastIndexOf('/'));
        const refused = [
          await post(url, ''),
          await post(url, '{"event_type":'),
          await post(url, 'event_type=EMAIL_OPEN', { 'content-type': 'text/plain' }),
          await post(url, `"${'x'.repeat(3 * 1024 * 1024)}"`),
          await post(`${base}/nobody`, '{}'),
          await post(`${base}/${'x'.repeat(500)}`, '{}'),
          await post(`${base}/demo-smartlead%00`, '{}'),
          await post(`${base}/8100452/9999`, '{}'),
          await post(`${base}/8100452/1207/1`, '{}'),
        ];
        expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 413, 404, 404, 404, 404, 404]);
        for (const { status, json } of refused) {
          expect(json).toEqual({ statusCode: status, message: expect.any(String), error: expect.any(String) });
        }
        expect((await api.fetch(url)).status).toBe(404);
        expect(await recent('listRequests')).toEqual([]);
      });

      test.each(SECRET_SOURCES)('200 with posts that carry a secret of their source, by $check', async (source) => {
        const url = await inboundUrl(api, source.id);
        const send = (secret: string) => post(url, ...withSecret(source, secret, api.target().clock.now()));
        const statuses = [await post(url, '{}')];
        for (const secret of ['wrong', ...SOURCE_SECRETS]) statuses.push(await send(secret));
        expect(statuses.map(({ status }) => status)).toEqual([401, 401, 200, 200]);
        const json = { statusCode: 401, message: OWN_MESSAGES.inboundNotAuthentic, error: 'Unauthorized' };
        expect(statuses.slice(0, 2)).toEqual(Array(2).fill({ status: 401, json }));
        await api.target().settle();
        expect(await recent('listRequests')).toHaveLength(2);
      });

      test('200 without the posts to a connection without API access, which are accepted', async () => {
        const hidden = findRow(WORLD.sources, ({ connectionId }) => connectionId === 4, 'source without API access');
        const url = await inboundUrl(api, SOURCE.id);
        const { status } = await post(url.replace(/[^/]+$/, hidden.path), JSON.stringify(newEvent()));
        expect(status).toBe(200);
        await api.target().settle();
        for (const key of ['osapi_demo_read', 'osapi_demo_other'])
          expect(await recent('listRequests', key)).toEqual([]);
      });
    });

    describe('listSyncs', () => {
      const outreachTo = async (query: Record<string, string>) => {
        const { found, summary } = await api.read('getContactOutreach', { query });
        return { found, totalEvents: summary.totalEvents };
      };

      test('200 with the profile URL as recipient of a lead without an address', async () => {
        const toEmail = 'https://www.linkedin.com/in/ada-quist-of-the-suite';
        const profile_url = 'http://de.linkedin.com/in/Ada-Quist-of-the-Suite/?trk=x';
        const email = 'ada-of-the-suite@example.org';
        await send(api, PROFILE_SOURCES.kept, [
          newMessageReply({ profile_url }),
          newMessageReply({ profile_url, email_address: email }),
        ]);
        await api.target().settle();
        expect((await recent('listSyncs')).toReversed()).toMatchObject([
          { eventType: 'MESSAGE_REPLY', toEmail, platform: 'heyreach', status: 'success' },
          { eventType: 'MESSAGE_REPLY', toEmail: email, platform: 'heyreach', status: 'success' },
        ]);
        // Each event is found by its own recipient, and both by both.
        expect(await outreachTo({ profileUrl: profile_url })).toEqual({ found: true, totalEvents: 1 });
        expect(await outreachTo({ email })).toEqual({ found: true, totalEvents: 1 });
        expect(await outreachTo({ email, profileUrl: toEmail })).toEqual({ found: true, totalEvents: 2 });
      });

      test('200 with the profile URL also on a CRM by whose rows no profile is found', async () => {
        const toEmail = 'https://x.com/ada_of_suite';
        await send(api, PROFILE_SOURCES.notKept, [newMessageReply({ profile_url: 'twitter.com/Ada_of_Suite' })]);
        await api.target().settle();
        expect(await recent('listSyncs')).toMatchObject([{ eventType: 'MESSAGE_REPLY', toEmail, connectionId: 3 }]);
        expect(await outreachTo({ profileUrl: toEmail })).toEqual({ found: false, totalEvents: 0 });
      });

      test('200 with the event written to the CRM; metrics and outreach include it', async () => {
        const event = newReply();
        await send(api, SOURCE.id, [event]);
        const [request] = await recent('listRequests');
        const [sync, ...others] = await recent('listSyncs');
        expect(others).toEqual([]);
        expect(sync).toEqual({
          id: expect.any(Number),
          status: 'success',
          connectionId: SOURCE.connectionId,
          sourceId: SOURCE.id,
          eventType: 'EMAIL_REPLY',
          toEmail: event['sl_lead_email'],
          platform: SOURCE.platform,
          payloadId: request.id,
          error: null,
          createdAt: expect.any(String),
        });
        const query = { from: request.createdAt, to: nowIso() };
        expect(await api.read('getSyncMetrics', { query })).toEqual({ success: 1, warning: 0, error: 0 });
        expect(await api.read('getRequestMetrics', { query })).toEqual({ count: 1 });
        const email = String(event['sl_lead_email']);
        const outreach = await api.read('getContactOutreach', { query: { email } });
        expect(outreach).toMatchObject({
          found: true,
          summary: { totalEvents: 1, lastTouchAt: sync.createdAt, lastEventType: 'EMAIL_REPLY' },
          outcomes: { replied: true },
        });
        const foreign = await api.read('getContactOutreach', { key: 'osapi_demo_other', query: { email } });
        expect(foreign.found).toBe(false);
      });

      test('200 with one row for an event that is sent repeatedly', async () => {
        const event = newEvent();
        await send(api, SOURCE.id, [event, event, event]);
        expect(await recent('listRequests')).toHaveLength(3);
        expect(await recent('listSyncs')).toHaveLength(1);
        // The same event from another source is a new one.
        await send(api, LEGACY.id, [event]);
        expect(await recent('listSyncs')).toHaveLength(2);
      });

      test('200 with what the mapping of a source reads; the rest is stored without a row', async () => {
        const url = await inboundUrl(api, MAPPED_SOURCE.id);
        const lead = `mapped-${api.target().clock.now().getTime()}@example.org`;
        const calls = [
          { id: 1, lead: { email: 'none', fields: [{ name: 'Email', value: lead.toUpperCase() }] } },
          { id: 2, lead: { email: `other-${lead}` } },
          { id: 1, lead: { email: lead } },
          { id: 3, lead: {} },
        ];
        const postAs = async (event: string, more: object = {}) => {
          const { status, json } = await post(url, JSON.stringify({ calls, ...more }), { 'x-suite-event': event });
          expect(status).toBe(200);
          await api.advance(1);
          return json.requestId;
        };
        const payloadId = await postAs('Call Ended');
        for (const event of ['call.started', 'call.unknown', '__proto__']) await postAs(event);
        const row = { payloadId, eventType: 'CALL_COMPLETED', platform: MAPPED_SOURCE.platform, status: 'success' };
        const rows = (await recent('listSyncs')).toSorted((a: { toEmail: string }, b: { toEmail: string }) =>
          a.toEmail < b.toEmail ? -1 : 1,
        );
        expect(rows).toMatchObject([
          { ...row, toEmail: lead },
          { ...row, toEmail: `other-${lead}` },
        ]);
        expect(await recent('listRequests')).toHaveLength(4);
        // A repeat has the same keys, however the rest of the post differs.
        await postAs('call.ended', { page: 2 });
        expect(await recent('listSyncs')).toHaveLength(2);
        await postAs('lead.rated', { category: 'Interested' });
        expect(await api.read('getContactOutreach', { query: { email: lead } })).toMatchObject({
          found: true,
          summary: { everCalled: true },
          outcomes: { lastCategoryName: 'Interested' },
          platforms: [{ platform: MAPPED_SOURCE.platform }],
        });
      });

      test('200 with what the ready mapping of a platform reads', async () => {
        const url = await inboundUrl(api, READY_SOURCE.id);
        const email = `ready-${api.target().clock.now().getTime()}@example.org`;
        const reply = { method: 'prospect_replied', prospect: { email }, timestamp: '2026-01-01T00:00:00Z' };
        for (const body of [[reply], [reply, { ...reply, method: 'unknown' }]]) {
          expect((await post(url, JSON.stringify(body))).status).toBe(200);
          await api.advance(1);
        }
        const row = { toEmail: email, eventType: 'EMAIL_REPLY', platform: READY_SOURCE.platform, status: 'success' };
        expect(await recent('listSyncs')).toMatchObject([row]);
      });

      test('200 with what a mapping reads of forms, and of the event name in the URL', async () => {
        const url = await inboundUrl(api, MAPPED_SOURCE.id);
        const lead = `form-${api.target().clock.now().getTime()}@example.org`;
        const calls = [{ id: 8, lead: { email: lead } }];
        const form = new URLSearchParams({ payload: JSON.stringify({ calls }) }).toString();
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        expect((await post(`${url}?event=call.ended&other=1`, form, headers)).status).toBe(200);
        await api.advance(1);
        expect(await recent('listSyncs')).toMatchObject([{ toEmail: lead, eventType: 'CALL_COMPLETED' }]);
      });

      test('200 without a row for a failure shorter than a minute, with one for a longer failure', async () => {
        await api.target().crm.failWith(503);
        await send(api, SOURCE.id, [newEvent()]);
        expect(await recent('listSyncs')).toEqual([]);
        await api.target().crm.recover();
        for (let second = 0; second < 40; second += 1) await api.advance(1_000);
        expect(await recent('listSyncs')).toMatchObject([{ status: 'success' }]);

        await api.advance(120_000);
        await api.target().crm.failWith(503);
        await send(api, SOURCE.id, [newEvent()]);
        for (let second = 0; second < 60; second += 1) await api.advance(1_000);
        await api.target().crm.recover();
        const rows = (await recent('listSyncs')).filter(({ status }: { status: string }) => status === 'error');
        expect(rows).toHaveLength(1);
        expect(rows[0].error).not.toBeNull();
      });

      test('200 without a row when syncing is disabled; the receipt is stored', async () => {
        const key = 'osapi_demo_other';
        const url = await inboundUrl(api, UNSYNCED_SOURCE_ID, key);
        expect((await post(url, JSON.stringify(newEvent()))).status).toBe(200);
        await api.target().settle();
        expect(await recent('listRequests', key)).toMatchObject([{ sourceId: UNSYNCED_SOURCE_ID }]);
        expect(await recent('listSyncs', key)).toEqual([]);
      });
    });

    describe('getContactOutreach', () => {
      test('200 with the category of a lead', async () => {
        const email = `category-${api.target().clock.now().getTime()}@example.org`;
        await send(api, SOURCE.id, [newCategory(email)]);
        const { found, outcomes, summary, eventTypes } = await api.read('getContactOutreach', { query: { email } });
        expect(outcomes).toMatchObject({ lastCategoryName: 'Meeting Request', lastCategoryAt: expect.any(String) });
        expect([found, summary.everContacted]).toEqual([true, false]);
        expect(summary).toMatchObject({ lastTouchAt: null, daysSinceLastTouch: null, lastPlatform: null });
        expect(eventTypes).toMatchObject([{ eventType: 'LEAD_CATEGORY_UPDATED', count: 1 }]);
        const foundBy = async (key: string) => (await api.read('getContactOutreach', { key, query: { email } })).found;
        expect(await foundBy('osapi_demo_connection_read')).toBe(true);
        for (const key of ['osapi_demo_connection_salesforce', 'osapi_demo_other']) {
          expect(await foundBy(key)).toBe(false);
        }
      });
    });

    describe('listDeliveries', () => {
      const urlOf = (id: number) => new URL(findRow(WORLD.destinations, (row) => row.id === id, 'destination').url);
      const hostOf = (id: number) => urlOf(id).host;
      const pathOf = (id: number) => urlOf(id).pathname;

      test('200 with one delivery for each destination whose binding names the event; the bytes are unchanged', async () => {
        const receiver = await api.target().openReceiver(hostOf(1));
        const other = await api.target().openReceiver(hostOf(3));
        const body = ` ${JSON.stringify(newReply(), null, 3)}\n`;
        const { json } = await post(await inboundUrl(api, SOURCE.id), body, { 'content-type': 'text/x-json' });
        await api.advance(1);
        const rows = await recent('listDeliveries');
        expect(rows).toHaveLength(2);
        for (const id of [1, 3]) {
          const destination = findRow(WORLD.destinations, (row) => row.id === id, 'destination');
          expect(rows).toContainEqual({
            id: expect.any(Number),
            destinationId: id,
            destinationUrl: destination.url,
            status: 'success',
            httpStatus: 200,
            connectionId: SOURCE.connectionId,
            sourceId: SOURCE.id,
            eventType: 'EMAIL_REPLY',
            toEmail: expect.stringContaining('@example.org'),
            payloadId: json.requestId,
            error: null,
            createdAt: expect.any(String),
          });
        }
        for (const each of [receiver, other]) expect(onlyPost(each).body.toString()).toBe(body);
        expect(onlyPost(receiver).headers['content-type']).toBe('text/x-json');
        // The sync and the deliveries of one payload count as one event.
        const [{ toEmail: email }] = rows;
        const outreach = await api.read('getContactOutreach', { query: { email } });
        expect(outreach.summary.totalEvents).toBe(1);
      });

      test('200 without a delivery for a repeated event, or one that no binding names', async () => {
        const event = newReply();
        await send(api, SOURCE.id, [newEvent(), event, event]);
        expect(await recent('listDeliveries')).toHaveLength(2);
        await send(api, UNBOUND_SOURCE_ID, [newReply()]);
        expect(await recent('listDeliveries')).toHaveLength(2);
      });

      test('200 with the delivery of a delayed binding only after its delay', async () => {
        const receiver = await api.target().openReceiver(new URL(TWICE_BOUND.url).host);
        await send(api, INSTANTLY_ID, [newInstantlyReply()]);
        await api.advance(FORWARDING_DELAY_MS - 10);
        expect(receiver.posts).toHaveLength(0);
        await api.advance(10);
        expect(receiver.posts).toHaveLength(1);
        expect(await recent('listDeliveries')).toMatchObject([
          { destinationId: TWICE_BOUND.id, sourceId: INSTANTLY_ID },
        ]);
      });

      test('200 with one delivery per attempt: temporary failures are retried, others are final', async () => {
        const receiver = await api.target().openReceiver(hostOf(1));
        const other = await api.target().openReceiver(hostOf(3));
        receiver.plan(503, 'reset');
        other.answer(410);
        await send(api, SOURCE.id, [newReply()]);
        // The retries come after one to six minutes, then two.
        await api.advance(6 * 60_000);
        await api.advance(2 * 60_000);
        await api.advance(DAY_MS);
        // Webhooks use the same hosts.
        const forwarded = ({ posts }: Receiver, id: number) => posts.filter(({ path }) => path === pathOf(id));
        expect([forwarded(receiver, 1).length, forwarded(other, 3).length]).toEqual([3, 1]);
        const to = nowIso();
        const from = new Date(Date.parse(to) - DAY_MS - 9 * 60_000).toISOString();
        const attempts = async (destinationId: number) => {
          const { data } = await api.read('listDeliveries', { query: { from, to, destinationId } });
          return data.map((row: { status: string; httpStatus: number }) => [row.status, row.httpStatus]);
        };
        expect(await attempts(1)).toEqual([
          ['success', 200],
          ['error', null],
          ['error', 503],
        ]);
        expect(await attempts(3)).toEqual([['error', 410]]);
      });
    });
  },
  { workers: 'off' },
);
