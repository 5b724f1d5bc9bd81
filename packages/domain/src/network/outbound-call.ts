/**
 * Posts to addresses that customers choose: webhooks and forwarding destinations (specification, "Webhooks (Sync Monitoring)":
 * `url`; "Events: Delivery rules" 2 to 4).
 *
 * 1. Called are http and https addresses whose host is neither a private address nor a local name, and whose port is not one
 *    of another protocol (public-address.ts), asked anew at each attempt. Who can look names up judges the looked-up addresses too.
 * 2. Of an answer at most `ANSWER_BYTES_MAX` are read: one that breaks off before is no answer, what comes after is nobody's.
 * 3. An attempt without an answer is told of in one short line.
 */
import { addressOfHostname, isBlockedPort, isLocalName, isPublicAddress } from './public-address.ts';

/** Read of an answer's body: 1 kB. */
export const ANSWER_BYTES_MAX = 1_024;

/** Characters of a failure's line. */
const FAILURE_LENGTH_MAX = 300;

const NOT_HTTP_REFUSAL = 'The URL is not an http or https address';
const PORT_REFUSAL = 'The port is one on which no HTTP service listens';
export const PRIVATE_ADDRESS_REFUSAL = 'The address is private, local or reserved';

export interface CallOptions {
  /** Ranges that the operator has opened although they are not public. Default: none. */
  readonly allowedCidrs?: readonly string[];
}

/** Why nothing may be sent to a URL, as far as can be told without a look-up; null when something may. */
export function findOutboundUrlProblem(url: string, { allowedCidrs = [] }: CallOptions = {}): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return NOT_HTTP_REFUSAL;
  if (isBlockedPort(parsed.port)) return PORT_REFUSAL;
  return isForbiddenHost(parsed.hostname, allowedCidrs) ? PRIVATE_ADDRESS_REFUSAL : null;
}

/**
 * Whether a URL's host is a private address or a local name. Where the operator has opened ranges, local names may lead there,
 * so that the addresses they resolve to decide.
 *
 * @param hostname as `URL` has it
 */
function isForbiddenHost(hostname: string, allowedCidrs: readonly string[]): boolean {
  const literal = addressOfHostname(hostname);
  return literal === null
    ? allowedCidrs.length === 0 && isLocalName(hostname)
    : !isPublicAddress(literal, allowedCidrs);
}

/** The line for an attempt that took too long. */
export function describeTimeout(timeoutMs: number): string {
  return `No answer within ${timeoutMs / 1_000} seconds`;
}

/** The line for any other failure: `CODE: message`, at most 300 characters. Of several addresses that were tried, the first tells. */
export function describeCallFailure(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  const told: unknown = first ?? error;
  if (!(told instanceof Error)) return String(told);
  const code = 'code' in told && typeof told.code === 'string' ? `${told.code}: ` : '';
  return `${code}${told.message}`.slice(0, FAILURE_LENGTH_MAX);
}
