import { type Client, type MeResponse, SvcError } from '@svc/sdk';
import { toErrorReport } from '../../command/map-error.ts';
import { type Credentials, explainNoKey } from '../../config/credentials.ts';
import { checkHealth } from '../status/health.ts';
import { fail, pass, skip, warn } from './check.ts';

/** The `Date` header has whole seconds, and the answer takes time. */
const SKEW_PASS_SECONDS = 5;
/** The tolerance of webhook receivers (`DEFAULT_SIGNATURE_TOLERANCE_SECONDS` of the domain). */
const SKEW_FAIL_SECONDS = 300;

/** @returns the result, and by how many seconds the service's clock is ahead; null without a `Date` header */
export async function checkLive(client: Client, now: () => number) {
  const startedAt = now();
  const { response } = await client.discovery.live().withResponse();
  const endedAt = now();
  const serverMs = Date.parse(response.headers.get('Date') ?? '');
  const skewSeconds = Number.isNaN(serverMs) ? null : Math.round((serverMs - (startedAt + endedAt) / 2) / 1000);
  return { result: pass(`up, answered within ${Math.round(endedAt - startedAt)} ms`), skewSeconds };
}

export async function checkReady(client: Client) {
  const { checks } = await checkHealth(client, 0);
  return pass(`ready: ${Object.keys(checks).join(', ')}`);
}

export function checkClock(skewSeconds: number | null) {
  if (skewSeconds === null) return skip('the service sends no time');
  const size = Math.abs(skewSeconds);
  const detail = size <= 1 ? 'same as the service' : `${size} s ${skewSeconds > 0 ? 'behind' : 'ahead of'} the service`;
  const hint = 'Set the clock of this machine (NTP). Time ranges and webhook signatures depend on it.';
  if (size > SKEW_FAIL_SECONDS) return fail(detail, hint);
  return size > SKEW_PASS_SECONDS ? warn(detail, hint) : pass(detail);
}

export function checkKey(credentials: Credentials, me: MeResponse | SvcError | null) {
  if (credentials.apiKey === null) {
    const { message, hint } = explainNoKey(credentials);
    return fail(message, hint);
  }
  if (me === null) return skip('the service does not answer');
  if (me instanceof SvcError) {
    const { message, hint } = toErrorReport(me, credentials);
    return fail(message, hint ?? 'Try again later.');
  }
  return pass(`${me.apiKey.name} of ${me.account.email}, from ${credentials.keySource ?? 'nowhere'}`);
}

export function checkScopes(me: MeResponse | SvcError | null) {
  if (me === null || me instanceof SvcError) return skip('the key could not be checked');
  const { scopes, connectionId } = me.apiKey;
  const access = connectionId === null ? 'all connections' : `connection ${connectionId} only, so no webhooks`;
  const detail = `${scopes.join(', ')}; ${access}`;
  if (me.connections.length > 0)
    return pass(scopes.includes('write') ? detail : `${detail}; without write nothing can be changed`);
  return warn(
    `${detail}; there are no connections`,
    'Connect a CRM: in the dashboard, or with `svc-server connections add` on your own server.',
  );
}
