/** A mock with its own header, key and secret prefixes, called through an SDK client with the same prefixes. */
import { AuthenticationError, createClient } from '@svc/sdk';
import { verifyWebhook } from '@svc/sdk/webhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';

const NOW = '2026-03-31T12:00:00.000Z';
const BRANDING = { headerPrefix: 'Acme-', keyPrefix: 'acme_', secretPrefix: 'acme-sign_' };
const URL_OF_HOOK = 'https://hooks.branded.example/in';

describe('custom prefixes', () => {
  let mock: Mock;
  beforeEach(() => {
    mock = createMock({ ...BRANDING, now: NOW });
  });
  afterEach(() => mock.close());

  const connect = (apiKey: string = mock.keys.osapi_demo_write) =>
    createClient({ baseUrl: 'http://svc.test', apiKey, headerPrefix: 'Acme', fetch: mock.fetch, maxRetries: 0 });

  test('keys have the prefix; `mock.keys` lists them by their names in the world file', async () => {
    expect(mock.keys.osapi_demo_write).toBe('acme_demo_write');
    expect((await connect().me.get()).apiKey.scopes).toContain('write');
    await expect(connect('osapi_demo_write').me.get()).rejects.toBeInstanceOf(AuthenticationError);
  });

  test('every answer, refusals included, has a request id in the prefixed header', async () => {
    const { requestId, response } = await connect().me.get().withResponse();
    expect(requestId).toMatch(/^.{8,}$/);
    expect([...response.headers.keys()].filter((name) => name.startsWith('service-'))).toEqual([]);
    await expect(connect('acme_nobody').me.get()).rejects.toMatchObject({ requestId: expect.any(String) });
  });

  test('llms.txt and the reference in Markdown have the prefixes', async () => {
    const read = async (url: string) => mock.fetch(new Request(url));
    const page = await read('http://svc.test/docs');
    const links = [...(page.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
    expect(links.map(([, , relation]) => relation)).toEqual(['describedby', 'alternate']);
    for (const [, url = ''] of links) {
      const answer = await read(url);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(await answer.text()).toContain('Bearer acme_...');
    }
  });

  test('webhooks are signed with a prefixed secret and sent with prefixed headers', async () => {
    const client = connect();
    const created = await client.webhooks.create({ url: URL_OF_HOOK });
    const { secret } = await client.webhooks.rotateSecret(created.id);
    for (const each of [created.secret, secret]) expect(each).toMatch(/^acme-sign_[0-9a-z]{52}$/);
    const { eventId } = await client.webhooks.test(created.id);
    await mock.settle();
    const [post] = mock.outbox.find({ kind: 'webhook', host: 'hooks.branded.example' });
    const headers = post?.headers ?? {};
    expect(Object.keys(headers).filter((name) => /^service-/i.test(name))).toEqual([]);
    const delivery = { payload: post?.body ?? '', headers, now: () => Date.parse(NOW) };
    const event = await verifyWebhook({ ...delivery, secret, headerPrefix: 'Acme-' });
    expect([event.id, event.type]).toEqual([eventId, 'test.ping']);
    await expect(verifyWebhook({ ...delivery, secret })).rejects.toMatchObject({ reason: 'missing_header' });
    const wrong = { ...delivery, secret: 'oswhsec_x', headerPrefix: 'Acme' };
    await expect(verifyWebhook({ ...wrong, secretPrefix: 'acme-sign_' })).rejects.toThrow('begins with "acme-sign_"');
  });

  test('forwarded posts carry the payload id in the prefixed header', async () => {
    const [source] = mock.db.sources.findMany({ where: { platform: 'smartlead', connectionId: 1 } });
    const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'branded@example.org', stats_id: 'branded-1' });
    const response = await mock.fetch(`http://svc.test/webhooks/${source?.path}`, { method: 'POST', body });
    const { requestId }: { requestId: number } = JSON.parse(await response.text());
    await mock.settle();
    const forwarded = mock.outbox.find({ kind: 'forwarding' }).filter(({ headers }) => 'Acme-Payload-Id' in headers);
    expect(forwarded.map(({ headers }) => headers['Acme-Payload-Id'])).toContain(String(requestId));
    expect(mock.outbox.find({ kind: 'forwarding' })).toHaveLength(forwarded.length);
  });

  test('created rows have the prefixes, and others are refused', async () => {
    const key = await mock.db.apiKeys.create({ scopes: ['read', 'write'] });
    expect(key.token).toMatch(/^acme_mock_/);
    expect((await connect(key.token).me.get()).apiKey.name).toBe(key.name);
    const named = await mock.db.apiKeys.create({ token: 'acme_named' });
    expect(mock.db.apiKeys.findFirst({ where: { token: 'acme_named' } })).toEqual(named);
    await expect(mock.db.apiKeys.create({ token: 'osapi_named' })).rejects.toThrow('must be acme_ and');
    const webhook = await mock.db.webhooks.create({});
    expect(webhook.secret).toMatch(/^acme-sign_/);
    await expect(mock.db.webhooks.create({ secret: 'oswhsec_1' })).rejects.toThrow('begins with acme-sign_');
  });

  test('an isolated world has its own keys under the same names', async () => {
    const world = mock.worlds.create({ id: 'mine' });
    expect(world.keys.osapi_demo_write).toBe('acme_demo_write_mine');
    await connect(world.keys.osapi_demo_write).webhooks.create({ url: URL_OF_HOOK });
    expect(world.journal.find({ operation: 'createWebhook' })).toHaveLength(1);
    expect(mock.journal.all()).toHaveLength(0);
  });

  test('the journal masks keys and secrets of either prefix', async () => {
    await mock.fetch('http://svc.test/api/v1/me?a=acme_one&b=osapi_two', {
      headers: { 'x-a': 'acme-sign_three', 'x-b': 'oswhsec_four' },
    });
    const [call] = mock.journal.all();
    expect(call?.query).toEqual({ a: 'acme_***', b: 'osapi_***' });
    expect(call?.headers).toMatchObject({ 'x-a': 'acme-sign_***', 'x-b': 'oswhsec_***' });
  });

  test('the OpenAPI document shows the prefixes', async () => {
    const text = JSON.stringify(await connect().discovery.openapiJson()) + (await connect().discovery.openapiYaml());
    for (const name of ['Acme-Request-Id', 'acme_...', '^acme-sign_']) expect(text).toContain(name);
    expect(text).not.toMatch(/Service-(Request-Id|Signature|Event-Id|Delivery-Id|Payload-Id)|osapi_|oswhsec_/);
  });

  test('a page of another origin can read the request id', async () => {
    const { url } = await mock.listen();
    const response = await fetch(`${url}/api/v1/me`, { headers: { authorization: 'Bearer acme_demo_read' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-expose-headers')).toMatch(/^Acme-Request-Id, Link, /);
  });
});

test.each([
  ['headerPrefix', 'Ac me'],
  ['keyPrefix', ''],
  ['secretPrefix', 'a.b'],
])('%s "%s" is refused', (kind, prefix) => {
  expect(() => createMock({ [kind]: prefix })).toThrow(new RegExp(`^${kind} must be `));
});
