/** Compares the requests that both sides sent to customers: webhook deliveries and forwarded events. */
import type { OutgoingPost, Side } from '../harness/targets/mock-and-server.ts';
import { kindOfPrefix, PREFIXED_ID, type IdPairs } from './id-pairs.ts';

/** The compared headers. The time of the signature is compared too; its hash is not, because each side has its own secrets. */
const HEADERS = ['content-type', 'user-agent', 'service-payload-id', 'service-event-id', 'service-delivery-id'];

/** Returns the posts that only one side sent, in any order. */
export function comparePosts(
  posts: Readonly<Record<Side, readonly OutgoingPost[]>>,
  pairs: IdPairs,
): readonly string[] {
  const left = posts.server.map((post) => describe('server', post, pairs));
  for (const each of posts.mock.map((post) => describe('mock', post, pairs))) {
    const at = left.indexOf(each);
    if (at < 0)
      return [`posted by the mock alone: ${each.slice(0, 900)} | the server: ${left.join(' | ').slice(0, 900)}`];
    left.splice(at, 1);
  }
  return left.map((each) => `posted by the server alone: ${each.slice(0, 900)}`);
}

function describe(side: Side, { host, path, headers, body }: OutgoingPost, pairs: IdPairs): string {
  const name = (text: string) =>
    text.replaceAll(PREFIXED_ID, (id) => pairs.nameOf(side, kindOfPrefix(id), id) ?? 'new');
  const payloadId = headers['service-payload-id'];
  const shown = HEADERS.map((header) => {
    const value = headers[header] ?? 'none';
    if (header !== 'service-payload-id' || payloadId === undefined) return name(value);
    return pairs.nameOf(side, 'request', payloadId) ?? 'new';
  });
  const signedAt = /^t=(\d+),v1=[0-9a-f]{64}$/.exec(headers['service-signature'] ?? '')?.[1] ?? 'unsigned';
  return [host, path, ...shown, signedAt, name(body)].join(' ');
}
