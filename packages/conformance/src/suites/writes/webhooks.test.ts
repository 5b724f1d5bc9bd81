import { LIMITS } from '@svc/contract/limits';
import { PREFIXES } from '@svc/contract/vocabulary';
import { toWebhookEndpoint } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePrefixedPathIds } from '../../cases/parameters.ts';
import { BAD_BODIES, BAD_CONTENT_TYPES, HUGE, proveWebhookFields } from '../../cases/webhook-bodies.ts';
import { useWebhooks, WRITE_KEY } from '../../cases/webhooks.ts';
import type { Answer } from '../../harness/client.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { WORLD } from '../../harness/world.ts';

const OTHER_KEY = 'osapi_demo_other';
const webhooksOf = (accountId: number) =>
  WORLD.webhooks
    .filter((row) => row.accountId === accountId && row.deletedAt === null)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
const MAIN = webhooksOf(1);
const DELETED_ID = 'oswhk_demo05';
const OTHER_ID = 'oswhk_other01';
const webhookIds = { param: 'id', resource: 'Webhook', prefix: PREFIXES.webhook } as const;

onEveryTarget(
  (api) => {
    const { make, write } = useWebhooks(api);
    const show = async (id: string) => api.read('getWebhook', { params: { id } });
    const list = async (key = WRITE_KEY) => (await api.read('listWebhooks', { key })).webhooks;
    const nowIso = () => api.target().clock.now().toISOString();

    describe('listWebhooks', () => {
      test.each([
        ['osapi_demo_read', 1],
        [WRITE_KEY, 1],
        [OTHER_KEY, 2],
        ['osapi_demo_empty', 5],
      ] as const)(
        '200 to %s with the webhooks of its account, oldest first, without deleted ones',
        async (key, accountId) => {
          const answer = await api.call('listWebhooks', { key });
          expect(answer.json).toEqual({ webhooks: webhooksOf(accountId).map(toWebhookEndpoint) });
          expect(answer.text).not.toContain(PREFIXES.webhookSecret);
        },
      );

      test('200 with new webhooks at the end, in order of creation', async () => {
        const made: string[] = [];
        for (let index = 0; index < 3; index += 1) {
          await api.advance(1);
          made.push((await make()).id);
        }
        const ids = (await list()).map(({ id }: { id: string }) => id);
        expect(ids).toEqual([...MAIN.map(({ id }) => id), ...made]);
      });

      proveAccess(api, 'listWebhooks', {});
      proveKeyRefusals(api, 'listWebhooks');
    });

    describe('getWebhook', () => {
      test('200 with each webhook as listed', async () => {
        for (const row of MAIN) expect(await show(row.id)).toEqual(toWebhookEndpoint(row));
      });

      test('404 for a deleted webhook and for one of another account', async () => {
        for (const id of [DELETED_ID, OTHER_ID]) {
          const answer = await api.call('getWebhook', { params: { id } });
          expect([answer.status, answer.json.message]).toEqual([404, `Webhook ${id} not found`]);
        }
      });

      provePrefixedPathIds(api, 'getWebhook', {}, webhookIds);
      proveAccess(api, 'getWebhook', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });
      proveKeyRefusals(api, 'getWebhook', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });
    });

    describe('createWebhook', () => {
      const create = (body: unknown, key = WRITE_KEY) => api.call('createWebhook', { key, body });
      /** Creates a webhook and deletes it, so that the limit of twenty is not reached. */
      const createAndDelete = async (body: unknown): Promise<Answer> => {
        const answer = await create(body);
        if (answer.status === 200) await write('deleteWebhook', { params: { id: answer.json.id } });
        return answer;
      };
      const assertNothingMade = async () => expect(await list()).toEqual(MAIN.map(toWebhookEndpoint));

      test('200 with all fields and a secret', async () => {
        await api.advance(1_000);
        const body = { url: 'https://hooks.example.com/a', description: 'ops', enabledEvents: ['sync.failed'] };
        const { json } = await createAndDelete(body);
        expect(json).toEqual({
          id: expect.stringMatching(/^oswhk_[\w-]{10,}$/),
          ...body,
          isActive: true,
          autoDisabledAt: null,
          createdAt: nowIso(),
          updatedAt: nowIso(),
          // At least 128 bits.
          secret: expect.stringMatching(/^oswhsec_[\w-]{22,}$/),
        });
      });

      test('200 for a URL alone: empty description, all events', async () => {
        const { json } = await createAndDelete({ url: 'https://hooks.example.com/a' });
        expect(json).toMatchObject({ description: '', enabledEvents: [], isActive: true });
      });

      test('200: other fields are ignored', async () => {
        const more = { isActive: false, id: 'oswhk_own', secret: 'oswhsec_own', accountId: 2, unknown: { a: [1] } };
        const { json } = await createAndDelete({
          url: 'https://hooks.example.com/a',
          ...more,
          ['__proto__']: { x: 1 },
        });
        expect(json).toMatchObject({ isActive: true, secret: expect.not.stringContaining('own') });
        expect(json.id).not.toBe('oswhk_own');
      });

      test('200 for content types with a charset or in another case', async () => {
        const text = JSON.stringify({ url: 'https://hooks.example.com/ü' });
        for (const contentType of [
          'application/json; charset=utf-8',
          'Application/JSON',
          'application/json;charset=UTF-8',
        ]) {
          const answer = await api.call('createWebhook', { key: WRITE_KEY, body: text, contentType });
          expect([answer.status, answer.json.url]).toEqual([200, 'https://hooks.example.com/ü']);
          await write('deleteWebhook', { params: { id: answer.json.id } });
        }
      });

      test('200 with a new secret each time, which no other answer shows', async () => {
        const made = await make();
        const other = await make();
        expect(made.secret).not.toBe(other.secret);
        const texts = [
          await api.call('getWebhook', { params: { id: made.id } }),
          await api.call('listWebhooks'),
          await write('updateWebhook', { params: { id: made.id }, body: { description: 'x' } }),
          await api.call('listWebhookDeliveries', { params: { id: made.id } }),
        ].map(({ text }) => text);
        for (const text of texts) expect(text).not.toContain('oswhsec_');
      });

      test('200 up to twenty webhooks per account; deleted ones and those of other accounts do not count', async () => {
        const url = 'https://hooks.example.com/many';
        const made: string[] = [];
        while (made.length < LIMITS.webhooksPerAccountMax - MAIN.length) made.push((await create({ url })).json.id);
        expect(await list()).toHaveLength(LIMITS.webhooksPerAccountMax);
        const refused = await create({ url });
        expect(refused.json).toEqual({ statusCode: 400, message: expect.stringContaining('20'), error: 'Bad Request' });
        await write('updateWebhook', { params: { id: made[0] ?? '' }, body: { isActive: false } });
        expect((await create({ url })).status).toBe(400);
        const other = await create({ url }, OTHER_KEY);
        expect(other.status).toBe(200);
        await write('deleteWebhook', { key: OTHER_KEY, params: { id: other.json.id } });
        for (let round = 0; round < 2; round += 1) {
          await write('deleteWebhook', { params: { id: made.pop() ?? '' } });
          const again = await create({ url });
          expect(again.status).toBe(200);
          made.push(again.json.id);
        }
        for (const id of made) await write('deleteWebhook', { params: { id } });
        await assertNothingMade();
      });

      test('400 for all but one of several concurrent calls when one webhook is left', async () => {
        const body = { url: 'https://hooks.example.com/race' };
        for (let count = MAIN.length; count < LIMITS.webhooksPerAccountMax - 1; count += 1) await make();
        const answers = await Promise.all(Array.from({ length: 6 }, () => create(body)));
        const made = answers.filter(({ status }) => status === 200);
        for (const { json } of made) await write('deleteWebhook', { params: { id: json.id } });
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      });

      proveWebhookFields(
        200,
        (field) => createAndDelete({ url: 'https://hooks.example.com/a', ...field }),
        assertNothingMade,
      );

      test.each([
        ...BAD_BODIES,
        ['no URL', {}],
        ['no URL but the rest', { description: 'x', enabledEvents: [] }],
      ] as const)('400 for a body that is %s', async (_name, body) => {
        const answer = await create(body);
        expect(answer.json).toEqual({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
        await assertNothingMade();
      });

      test('400 without a body', async () => {
        const answers = [
          await api.call('createWebhook', { key: WRITE_KEY }),
          await api.call('createWebhook', { key: WRITE_KEY, body: '' }),
          await api.call('createWebhook', { key: WRITE_KEY, body: '', contentType: null }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
      });

      test.each(BAD_CONTENT_TYPES)('415 for the content type %s', async (contentType) => {
        const body = { url: 'https://hooks.example.com/a' };
        const answer = await api.call('createWebhook', { key: WRITE_KEY, body, contentType });
        expect(answer.json).toEqual({ statusCode: 415, message: expect.any(String), error: 'Unsupported Media Type' });
        await assertNothingMade();
      });

      test('415 for an unknown content encoding', async () => {
        const headers = { 'content-encoding': 'squeezed' };
        const answer = await api.call('createWebhook', { key: WRITE_KEY, body: '{}', headers });
        expect(answer.status).toBe(415);
      });

      test('413 for a body that is too large', async () => {
        const answer = await create({ url: 'https://hooks.example.com/a', ...HUGE });
        expect(answer.json).toEqual({ statusCode: 413, message: expect.any(String), error: 'Payload Too Large' });
        await assertNothingMade();
      });

      proveAccess(
        api,
        'createWebhook',
        { body: { url: 'https://hooks.example.com/a' } },
        { body: '{' },
        { body: 'x', contentType: 'text/plain' },
        {},
      );
      proveKeyRefusals(api, 'createWebhook', { body: { url: 'https://hooks.example.com/a' } }, { body: '{' });

      test('403 creates no webhook', async () => {
        await create({ url: 'https://hooks.example.com/a' }, 'osapi_demo_read');
        await assertNothingMade();
      });
    });

    describe('deleteWebhook', () => {
      const remove = (id: string, key = WRITE_KEY) => api.call('deleteWebhook', { key, params: { id } });

      test('204 without a body; every later call is a 404', async () => {
        const answer = await api.call('createWebhook', {
          key: WRITE_KEY,
          body: { url: 'https://hooks.example.com/a' },
        });
        const { id } = answer.json;
        const deleted = await api.call('deleteWebhook', {
          key: WRITE_KEY,
          params: { id },
          body: 'ignored',
          contentType: null,
        });
        expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([204, '', null]);
        const call = { key: WRITE_KEY, params: { id, deliveryId: 'oswhd_demo0001' } };
        for (const gone of [
          await api.call('getWebhook', call),
          await api.call('updateWebhook', { ...call, body: { isActive: true } }),
          await api.call('deleteWebhook', call),
          await api.call('rotateWebhookSecret', call),
          await api.call('testWebhook', call),
          await api.call('listWebhookDeliveries', call),
          await api.call('replayWebhookDelivery', call),
        ]) {
          expect([gone.status, gone.json.message]).toEqual([404, `Webhook ${id} not found`]);
        }
        expect(await list()).toHaveLength(MAIN.length);
      });

      test('204 does not delete other webhooks', async () => {
        const [one, other] = [await make(), await make()];
        expect((await remove(one.id)).status).toBe(204);
        expect((await show(other.id)).id).toBe(other.id);
        expect((await list()).map(({ id }: { id: string }) => id)).toEqual([...MAIN.map(({ id }) => id), other.id]);
      });

      test('404 for a webhook of another account, which is not deleted', async () => {
        expect((await remove(OTHER_ID)).json.message).toBe(`Webhook ${OTHER_ID} not found`);
        expect(await list(OTHER_KEY)).toHaveLength(1);
      });

      provePrefixedPathIds(api, 'deleteWebhook', { key: WRITE_KEY }, webhookIds);
      proveAccess(api, 'deleteWebhook', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });
      proveKeyRefusals(api, 'deleteWebhook', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });

      test('403 and 401 delete nothing', async () => {
        await remove('oswhk_demo01', 'osapi_demo_read');
        await remove('oswhk_demo01', 'osapi_demo_connection');
        await remove('oswhk_demo01', 'osapi_nobody');
        expect((await remove('oswhk_demo01', 'osapi_demo_connection')).status).toBe(403);
        expect((await remove('oswhk_demo01', 'osapi_demo_revoked')).status).toBe(401);
        expect((await show('oswhk_demo01')).id).toBe('oswhk_demo01');
      });
    });

    describe('rotateWebhookSecret', () => {
      const rotate = (id: string, key = WRITE_KEY) => api.call('rotateWebhookSecret', { key, params: { id } });

      test('200 with the webhook and a new secret each time', async () => {
        const { id, secret } = await make();
        const before = await show(id);
        const answers = [await rotate(id), await rotate(id)];
        const secrets = [secret, ...answers.map(({ json }) => json.secret)];
        expect(new Set(secrets).size).toBe(3);
        for (const { json } of answers) {
          expect(json).toEqual({
            ...before,
            updatedAt: expect.any(String),
            secret: expect.stringMatching(/^oswhsec_[\w-]{22,}$/),
          });
        }
        expect((await api.call('getWebhook', { params: { id } })).text).not.toContain('oswhsec_');
      });

      test('404 for a webhook of another account', async () => {
        expect((await rotate(OTHER_ID)).json.message).toBe(`Webhook ${OTHER_ID} not found`);
      });

      provePrefixedPathIds(api, 'rotateWebhookSecret', { key: WRITE_KEY }, webhookIds);
      proveAccess(api, 'rotateWebhookSecret', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });
      proveKeyRefusals(api, 'rotateWebhookSecret', { params: { id: 'oswhk_demo01' } }, { params: { id: 'x' } });
    });
  },
  { workers: 'off' },
);
