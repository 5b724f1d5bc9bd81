/** What write policies of sources show in the API: which events have syncs, when, and with which warning. */
import { NO_MATCHING_CONTACT } from '@svc/domain/policy/missing-contact';
import { beforeEach, describe, expect, test } from 'vitest';
import { newEvent, newReply, send } from '../../cases/inbound.ts';
import { HOLDING_SOURCE_ID, REPLIES_SOURCE_ID } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';

onEveryTarget(
  (api) => {
    const range = () => {
      const now = api.target().clock.now();
      return { from: new Date(now.getTime() - 60_000).toISOString(), to: now.toISOString(), limit: 500 };
    };
    const requests = async () => (await api.read('listRequests', { key: 'osapi_demo_read', query: range() })).data;
    /** Returns type, status and error of the syncs of the last minute, oldest first. */
    const syncs = async () => {
      const { data } = await api.read('listSyncs', { key: 'osapi_demo_read', query: range() });
      const rows = await Promise.all(
        data.map(({ id }: { id: number }) => api.read('getSync', { key: 'osapi_demo_read', params: { id } })),
      );
      return rows.reverse().map(({ eventType, status, error, payloadId }) => ({ eventType, status, error, payloadId }));
    };

    beforeEach(() => api.advance(120_000));

    describe('listSyncs', () => {
      test('200 without the events that wait, then with them before the reply of their lead', async () => {
        const sent = newEvent({ event_type: 'EMAIL_SENT' });
        const lead = { to_email: sent['to_email'], sl_lead_email: sent['to_email'] };
        await send(api, HOLDING_SOURCE_ID, [sent, newEvent({ event_type: 'EMAIL_SENT' }), newEvent(lead)]);
        await api.target().settle();
        expect([(await requests()).length, await syncs()]).toEqual([3, []]);
        const [, , first] = await requests();
        await send(api, HOLDING_SOURCE_ID, [
          newReply(lead),
          newEvent(lead),
          newEvent({ ...lead, event_type: 'EMAIL_SENT' }),
        ]);
        await api.target().settle();
        const written = await syncs();
        // The policy lets nothing of opens be written.
        expect(written.map(({ eventType, status }) => `${eventType} ${status}`)).toEqual([
          'EMAIL_SENT success',
          'EMAIL_REPLY success',
          'EMAIL_SENT success',
        ]);
        expect(written[0]?.payloadId).toBe(first.id);
      });

      test('200 with a warning for a contact that the CRM does not have, until a reply creates it', async () => {
        const sent = newEvent({ event_type: 'EMAIL_SENT' });
        const lead = { to_email: sent['to_email'], sl_lead_email: sent['to_email'] };
        await send(api, REPLIES_SOURCE_ID, [sent]);
        await api.target().settle();
        expect(await syncs()).toMatchObject([
          { eventType: 'EMAIL_SENT', status: 'warning', error: NO_MATCHING_CONTACT },
        ]);
        await send(api, REPLIES_SOURCE_ID, [newReply(lead), newEvent({ ...lead, event_type: 'EMAIL_SENT' })]);
        await api.target().settle();
        expect((await syncs()).slice(1)).toMatchObject([
          { eventType: 'EMAIL_REPLY', status: 'success', error: null },
          { eventType: 'EMAIL_SENT', status: 'success', error: null },
        ]);
      });
    });
  },
  { workers: 'off' },
);
