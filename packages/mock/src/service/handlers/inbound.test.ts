/** Posts to source URLs. `jobs/process-request.test.ts` tests how they are processed. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { noSuchSource } from '@svc/domain/syncs/inbound-post';
import { expect, test } from 'vitest';
import { ask, createDemoWorld } from '../../../test/support/demo.ts';
import { allRows, findRow } from '../../state/log.ts';
import { updateData } from '../../state/world.ts';

const NO_SUCH_SOURCE = noSuchSource().message;

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const world = createDemoWorld();
  const before = world.state.data.requests.length;
  const { status, json } = ask(world, `/webhooks/${path}`, { method: 'POST', key: null, body, headers });
  return { world, status, json, added: world.state.data.requests.length - before };
};

test.each<[string, string, string | Uint8Array, number, string]>([
  ['an unknown code', 'demo-nobody', '{}', 404, 'No source has this inbound URL'],
  ['a code of another form', 'a%20b', '{}', 404, 'No source has this inbound URL'],
  ['an unknown legacy pair', '8100452/1', '{}', 404, 'No source has this inbound URL'],
  ['no body', 'demo-smartlead', '', 400, 'The body is empty'],
  ['invalid JSON', 'demo-smartlead', '{"a":', 400, 'The body is not JSON'],
  ['a large body', 'demo-smartlead', new Uint8Array(2 * 1024 * 1024 + 1).fill(0x20), 413, '2097152'],
])('%s is refused, and nothing is kept', (_name, path, body, status, text) => {
  const answer = post(path, body);
  expect([answer.status, answer.added]).toEqual([status, 0]);
  expect(answer.json.message).toContain(text);
});

test("a post is acknowledged with the request's id and stored unchanged", () => {
  const text = '\uFEFF {"b" : 1, "a":[ ]}';
  const { world, status, json, added } = post('demo-smartlead', text, {
    'content-type': 'text/plain',
    authorization: 'Bearer of-the-sequencer',
    'x-request-id': 'r-1',
  });
  expect([status, added]).toEqual([200, 1]);
  expect(json).toEqual({
    received: true,
    requestId: 1 + Math.max(...allRows(createDemoWorld().state.data.requests).map(({ id }) => id)),
  });
  expect(findRow(world.state.data.requests, json.requestId)).toMatchObject({
    path: 'demo-smartlead',
    received: { text, contentType: 'text/plain' },
  });
  expect(world.state.data.jobs[0]).toMatchObject({
    kind: 'process-request',
    headers: { 'content-type': 'text/plain', 'x-request-id': 'r-1' },
  });
  expect(JSON.stringify(world.state.data.jobs)).not.toContain('of-the-sequencer');
});

test('an unknown code is refused before the body is read', () => {
  const { status, json } = post('demo-nobody', 'no JSON', { 'content-encoding': 'x-rot13' });
  expect([status, json.message]).toEqual([404, NO_SUCH_SOURCE]);
});

test.each([
  ['POST', '/webhooks', NO_SUCH_SOURCE],
  ['POST', '/webhooks/', NO_SUCH_SOURCE],
  ['POST', '/webhooks/demo-smartlead/', NO_SUCH_SOURCE],
  ['POST', '/webhooks/a/b/c', NO_SUCH_SOURCE],
  ['POST', '/webhooks/%zz', NO_SUCH_SOURCE],
  ['POST', '/webhooks/%64emo-smartlead', NO_SUCH_SOURCE],
  ['GET', '/webhooks/a.b', NO_SUCH_SOURCE],
  ['GET', '/webhooks/demo-smartlead', OWN_MESSAGES.noSuchRoute],
  ['POST', '/webhooksx/demo-smartlead', OWN_MESSAGES.noSuchRoute],
])('%s %s is a 404: %s', (method, path, message) => {
  const { status, json } = ask(createDemoWorld(), path, { method, key: null, body: method === 'GET' ? '' : '{}' });
  expect([status, json]).toEqual([404, { statusCode: 404, message, error: 'Not Found' }]);
});

test.each([
  ['x-rot13', '{}', 415, 'The request body cannot be read: unsupported content encoding "x-rot13"'],
  ['identity', '{}', 200, undefined],
  ['x-rot13', '', 400, 'The body is empty: send the event as JSON.'],
])('with Content-Encoding %s, %j is a %i', (encoding, body, status, message) => {
  const answer = post('demo-smartlead', body, { 'content-encoding': encoding });
  expect([answer.status, answer.json.message, answer.added]).toEqual([status, message, status === 200 ? 1 : 0]);
});

test('a source with secrets refuses posts without one of them, and keeps nothing of these', () => {
  const world = createDemoWorld();
  const [first, ...others] = world.state.data.sources;
  if (first === undefined) throw new Error('The demo world has no source.');
  const secrets = ['old', 'new'].map((secret) => ({ check: 'header' as const, name: 'x-event-secret', secret }));
  updateData(world, { ...world.state.data, sources: [{ ...first, secrets }, ...others] });
  const send = (headers: Record<string, string>) =>
    ask(world, `/webhooks/${first.path}`, { method: 'POST', key: null, body: '{}', headers });
  const before = world.state.data.requests.length;
  for (const headers of [{}, { 'x-event-secret': 'wrong' }]) {
    expect(send(headers)).toMatchObject({
      status: 401,
      json: { statusCode: 401, message: OWN_MESSAGES.inboundNotAuthentic, error: 'Unauthorized' },
    });
  }
  expect(world.state.data.requests.length).toBe(before);
  expect(send({ 'x-event-secret': 'old' }).status).toBe(200);
  expect(send({ 'x-event-secret': 'new' }).status).toBe(200);
  expect(JSON.stringify(world.state.data.jobs)).not.toContain('x-event-secret');
});
