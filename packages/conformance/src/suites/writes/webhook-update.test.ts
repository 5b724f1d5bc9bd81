/** `updateWebhook`: `PATCH /webhooks/:id`. */
import { PREFIXES } from '@svc/contract/vocabulary';
import { toWebhookEndpoint } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePrefixedPathIds } from '../../cases/parameters.ts';
import { BAD_BODIES, BAD_CONTENT_TYPES, HUGE, proveWebhookFields } from '../../cases/webhook-bodies.ts';
import { nextHost, useWebhooks, WRITE_KEY } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { WORLD } from '../../harness/world.ts';

const OTHER_KEY = 'osapi_demo_other';
const DELETED_ID = 'oswhk_demo05';
const OTHER_ID = 'oswhk_other01';
const AUTO_DISABLED_ID = 'oswhk_demo04';
const webhookIds = { param: 'id', resource: 'Webhook', prefix: PREFIXES.webhook } as const;

onEveryTarget(
  (api) => {
    const { make, write } = useWebhooks(api);
    const show = async (id: string) => api.read('getWebhook', { params: { id } });
    const nowIso = () => api.target().clock.now().toISOString();

    describe('updateWebhook', () => {
      const update = (id: string, body: unknown, key = WRITE_KEY) =>
        api.call('updateWebhook', { key, params: { id }, body });

      test('200 without a change for {} and for unknown fields', async () => {
        const { id } = await make();
        const before = await show(id);
        await api.advance(1_000);
        for (const body of [{}, { unknown: 1, secret: 'oswhsec_own', autoDisabledAt: null, ['__proto__']: { a: 1 } }]) {
          expect((await update(id, body)).json).toEqual(before);
        }
        expect(await show(id)).toEqual(before);
      });

      test.each([
        ['url', 'https://elsewhere.example.com/hook'],
        ['description', 'New text'],
        ['enabledEvents', ['sync.recovered']],
        ['isActive', false],
      ])('200 for %s alone: changes it and updatedAt', async (name, value) => {
        const { id } = await make();
        const before = await show(id);
        await api.advance(1_000);
        const answer = await update(id, { [name]: value });
        expect(answer.json).toEqual({ ...before, [name]: value, updatedAt: nowIso() });
        expect(await show(id)).toEqual(answer.json);
      });

      test('200 for all fields at once', async () => {
        const { id } = await make();
        const before = await show(id);
        const all = {
          url: `https://${nextHost()}/`,
          description: 'x',
          enabledEvents: ['sync.failed'],
          isActive: false,
        };
        expect((await update(id, all)).json).toMatchObject(all);
        const { url, description, enabledEvents, isActive } = before;
        expect((await update(id, { url, description, enabledEvents, isActive })).json).toMatchObject({
          url,
          description: '',
          enabledEvents: [],
          isActive: true,
        });
      });

      test('200: concurrent changes of different fields are all kept', async () => {
        const { id } = await make();
        for (let round = 0; round < 5; round += 1) {
          const fields = { url: `https://${nextHost()}/`, description: `round ${round}`, isActive: round % 2 === 0 };
          await Promise.all(Object.entries(fields).map(([name, value]) => update(id, { [name]: value })));
          expect(await show(id)).toMatchObject(fields);
        }
      });

      test('200: isActive: true clears autoDisabledAt; other changes do not', async () => {
        const [before] = WORLD.webhooks.filter(({ id }) => id === AUTO_DISABLED_ID).map(toWebhookEndpoint);
        expect(before).toMatchObject({ isActive: false, autoDisabledAt: expect.any(String) });
        for (const body of [{ description: 'x' }, { isActive: false }, { description: before?.description }]) {
          const { json } = await update(AUTO_DISABLED_ID, body);
          expect([json.isActive, json.autoDisabledAt]).toEqual([false, before?.autoDisabledAt]);
        }
        const { json } = await update(AUTO_DISABLED_ID, { isActive: true });
        expect([json.isActive, json.autoDisabledAt]).toEqual([true, null]);
        expect(await show(AUTO_DISABLED_ID)).toEqual(json);
        // Disabled by a PATCH, it is inactive but not auto-disabled.
        const off = await update(AUTO_DISABLED_ID, { isActive: false });
        expect([off.json.isActive, off.json.autoDisabledAt]).toEqual([false, null]);
      });

      test('200 does not change other webhooks', async () => {
        const [one, other] = [await make(), await make()];
        const before = await show(other.id);
        await update(one.id, { description: 'changed', isActive: false, url: `https://${nextHost()}/` });
        expect(await show(other.id)).toEqual(before);
      });

      describe.each([{ isActive: true }, { isActive: false }])('fields of a webhook %j', ({ isActive }) => {
        test('are not changed when one field is invalid', async () => {
          const { id } = await make();
          await update(id, { isActive });
          const before = await show(id);
          for (const bad of [
            { url: 'http://x.example.com' },
            { description: 1 },
            { enabledEvents: 'x' },
            { isActive: 'true' },
          ]) {
            const good = { url: `https://${nextHost()}/`, description: 'y', enabledEvents: ['sync.failed'] };
            expect((await update(id, { ...good, isActive: !isActive, ...bad })).status).toBe(400);
            expect(await show(id)).toEqual(before);
          }
        });
      });

      test.each(['true', 1, 0, null, [], {}])('400 for isActive %j', async (isActive) => {
        const answer = await update('oswhk_demo01', { isActive });
        expect(answer.json).toMatchObject({ statusCode: 400, message: expect.stringContaining('isActive') });
      });

      const SUBJECT = 'oswhk_demo07';
      const subject = WORLD.webhooks.filter(({ id }) => id === SUBJECT).map(toWebhookEndpoint)[0];
      const restore = async () => {
        const { url, description, enabledEvents } = subject ?? {};
        await write('updateWebhook', { params: { id: SUBJECT }, body: { url, description, enabledEvents } });
      };
      proveWebhookFields(
        200,
        async (field) => {
          const answer = await update(SUBJECT, field);
          if (answer.status === 200) await restore();
          return answer;
        },
        async () => expect(await show(SUBJECT)).toMatchObject({ ...subject, updatedAt: expect.any(String) }),
      );

      test.each(BAD_BODIES)('400 for a body that is %s', async (_name, body) => {
        const answer = await update(SUBJECT, body);
        expect(answer.json).toEqual({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
      });

      test('400 without a body', async () => {
        expect((await api.call('updateWebhook', { key: WRITE_KEY, params: { id: SUBJECT } })).status).toBe(400);
      });

      test.each(BAD_CONTENT_TYPES)('415 for the content type %s', async (contentType) => {
        const answer = await api.call('updateWebhook', {
          key: WRITE_KEY,
          params: { id: SUBJECT },
          body: {},
          contentType,
        });
        expect(answer.status).toBe(415);
      });

      test('413 for a body that is too large', async () => {
        expect((await update(SUBJECT, HUGE)).status).toBe(413);
        expect((await show(SUBJECT)).description).toBe(subject?.description);
      });

      test('404 comes after 400 for the body', async () => {
        for (const id of ['oswhk_nobody', DELETED_ID, OTHER_ID, 'x']) {
          expect((await update(id, { url: 'http://x.example.com' })).status).toBe(400);
          const answer = await update(id, { description: 'taken over' });
          expect([answer.status, answer.json.message]).toEqual([404, `Webhook ${id} not found`]);
        }
        expect((await api.read('listWebhooks', { key: OTHER_KEY })).webhooks[0].description).toBe(
          'Of the other tenant',
        );
      });

      provePrefixedPathIds(api, 'updateWebhook', { key: WRITE_KEY, body: {} }, webhookIds);
      const calls = [
        { params: { id: SUBJECT }, body: {} },
        { params: { id: 'x' }, body: '{' },
        { params: { id: 'x' } },
      ];
      proveAccess(api, 'updateWebhook', ...calls);
      proveKeyRefusals(api, 'updateWebhook', { params: { id: SUBJECT }, body: {} }, calls[1]);
    });
  },
  { workers: 'off' },
);
