/** Posts to source URLs. `jobs/process-request.test.ts` tests how they are processed. */
import { noSuchSource } from '@svc/domain/syncs/inbound-post';
import { expect, test } from 'vitest';
import { ask, createDemoWorld } from '../../../test/support/demo.ts';
import { allRows, findRow } from '../../state/log.ts';

const NO_SUCH_SOURCE = noSuchSource().message;

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const world = createDemoWorld();
  const before = world.state.data.requests.length;
  const { status, json } = ask(world, `/webhooks/${path}`, { method: 'POST', key: null, body, headers });
  return { world, status, json, added: world.state.data.requests.length - before };
};

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
  ['x-rot13', '{}', 415, 'The request body cannot be read: unsupported content encoding "x-rot13"'],
  ['identity', '{}', 200, undefined],
  ['x-rot13', '', 400, 'The body is empty: send the event as JSON.'],
])('with Content-Encoding %s, %j is a %i', (encoding, body, status, message) => {
  const answer = post('demo-smartlead', body, { 'content-encoding': encoding });
  expect([answer.status, answer.json.message, answer.added]).toEqual([status, message, status === 200 ? 1 : 0]);
});
