/**
 * Rules for requests to URLs that customers choose: webhooks and forwarding destinations (`url` of `createWebhook` in
 * the contract).
 *
 * 1. The URL is checked before each attempt: it must be http or https, its host must not be a private address or a local
 *    name, and its port must not belong to another protocol (public-address.ts). The caller also checks the addresses that
 *    the host name resolves to.
 * 2. At most `ANSWER_BYTES_MAX` of an answer's body are read. A body that ends early within them counts as no answer.
 * 3. A failure without an answer is recorded as one short line.
 */
import { addressOfHostname, isBlockedPort, isForbiddenName, isPublicAddress } from './public-address.ts';

/** Bytes read of an answer's body: 1 kB. */
export const ANSWER_BYTES_MAX = 1_024;

const FAILURE_LENGTH_MAX = 300;

const NOT_HTTP_REFUSAL = 'The URL is not an http or https address';
const PORT_REFUSAL = 'The port is one on which no HTTP service listens';
export const PRIVATE_ADDRESS_REFUSAL = 'The address is private, local or reserved';

export interface CallOptions {
  /** Non-public ranges that the operator has allowed. Default: none. */
  readonly allowedCidrs?: readonly string[];
}

/** Returns why a URL must not be called, without resolving its host name; null when it may be called. */
export function findOutboundUrlProblem(url: string, { allowedCidrs = [] }: CallOptions = {}): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return NOT_HTTP_REFUSAL;
  if (isBlockedPort(parsed.port)) return PORT_REFUSAL;
  return isForbiddenHost(parsed.hostname, allowedCidrs) ? PRIVATE_ADDRESS_REFUSAL : null;
}

/** @param hostname as `URL` returns it */
function isForbiddenHost(hostname: string, allowedCidrs: readonly string[]): boolean {
  const literal = addressOfHostname(hostname);
  return literal === null ? isForbiddenName(hostname, allowedCidrs) : !isPublicAddress(literal, allowedCidrs);
}

/** Describes an attempt that took too long. */
export function describeTimeout(timeoutMs: number): string {
  return `No answer within ${timeoutMs / 1_000} seconds`;
}

/** Describes any other failure as `CODE: message`, at most 300 characters. When several addresses were tried, uses the first error. */
export function describeCallFailure(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  const cause: unknown = first ?? error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? `${cause.code}: ` : '';
  return `${code}${cause.message}`.slice(0, FAILURE_LENGTH_MAX);
}
