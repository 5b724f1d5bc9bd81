/** A connection with a grant, its token endpoint without HTTP, and processes that renew its access token. */
import { randomBytes } from 'node:crypto';
import { createCrmOauth, type CrmFailed } from '@svc/crm';
import { OauthSimulator, type SimulatedClient } from '@svc/simulators';
import { pino } from 'pino';
import { oauthAddresses } from '@svc/engine/config/public-urls';
import { readConfig } from '@svc/engine/config/config';
import { type Grant, type RefreshGrant, writeGrant } from '@svc/engine/crm/grants';
import { readStoredGrant, type RenewalContext, renewGrant, type StoredGrant } from '@svc/engine/crm/renew-grant';
import type { Clock } from '@svc/engine/runtime/clock';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';

export const START = new Date('2026-03-31T12:00:00.000Z');

const CRMS = { hubspot: 'HUBSPOT', salesforce: 'SALESFORCE', pipedrive: 'PIPEDRIVE' } as const;

export const CLIENT: SimulatedClient = { id: 'app', secret: 'app-secret', hasRunAsUser: true };

export interface HurryingClock extends Clock {
  /** Lets time pass without firing timers, as for a process that was stopped. */
  skip(ms: number): void;
}

/** A clock that stands still between timers, which fire a hundred times as fast. */
export function createHurryingClock(): HurryingClock {
  let nowMs = START.getTime();
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    setTimer(callback, delayMs) {
      const dueMs = nowMs + delayMs;
      const timer = setTimeout(() => {
        nowMs = Math.max(nowMs, dueMs);
        callback();
      }, delayMs / 100);
      return () => clearTimeout(timer);
    },
    skip(ms) {
      nowMs += ms;
    },
  };
}

export interface RenewalWorld {
  connection: { id: number; crm: string };
  oauth: OauthSimulator;
  ctx: RenewalContext;
  /** The context of another process: `fetch` and `db` are its own. */
  process(parts?: Partial<RenewalContext> & { fetch?: typeof globalThis.fetch }): RenewalContext;
  /** Calls the token endpoint. */
  fetch: typeof globalThis.fetch;
  /** Stores another grant. */
  store(grant: Grant): Promise<void>;
  /** Makes a grant at the vendor and stores it; its access token has `secondsLeft` where the vendor says so. */
  grant(secondsLeft?: number): Promise<RefreshGrant>;
  stored(): Promise<StoredGrant | CrmFailed>;
  /** The connection's column. */
  column(): Promise<string | null>;
  /** Renews a token that the CRM refused. */
  renew(refusedToken: string | null, ctx?: RenewalContext): Promise<StoredGrant | CrmFailed>;
}

export async function createRenewalWorld(
  db: Database,
  vendor: keyof typeof CRMS,
  { clock, rotates = false, client = CLIENT }: { clock: Clock; rotates?: boolean; client?: SimulatedClient },
): Promise<RenewalWorld> {
  const crm = CRMS[vendor];
  const loginUrl = 'http://127.0.0.1:9';
  const now = () => clock.now();
  const oauth = new OauthSimulator({ crm: vendor, now, clients: [client], apiUrl: () => loginUrl, rotates });
  const secrets = createSecretBox([generateEncryptionKey()]);
  const { rows: accounts } = await db.query<{ id: number }>(
    `insert into accounts (email, created_at) values ('kim@example.com', $1) returning id`,
    [START],
  );
  const { rows } = await db.query<{ id: number }>(
    `insert into connections (account_id, crm, organization_id, organization_domain, created_at)
      values ($1, $2, '1', 'example.com', $3) returning id`,
    [accounts[0]?.id, crm, START],
  );
  const connection = { id: rows[0]?.id ?? 0, crm };
  const config = readConfig({
    [`SVC_${crm}_CLIENT_ID`]: client.id,
    [`SVC_${crm}_CLIENT_SECRET`]: 'app-secret',
    [`SVC_${crm}_LOGIN_URL`]: loginUrl,
  });
  const callEndpoint: typeof globalThis.fetch = async (input, init) => {
    const { method, url, headers } = new Request(input, init);
    const text = init?.body instanceof URLSearchParams ? init.body.toString() : '';
    const request = { method, url: new URL(url), headers: Object.fromEntries(headers), body: text, text };
    const answer = await oauth.answer(request);
    return new Response(JSON.stringify(answer?.body ?? {}), { status: answer?.status ?? 404, ...answer?.headers });
  };
  const process: RenewalWorld['process'] = ({ fetch = callEndpoint, ...parts } = {}) => {
    const map = createCrmOauth({ fetch, now: () => (parts.clock ?? clock).now(), ...oauthAddresses(config) });
    const log = pino({ level: 'silent' });
    return { db, clock, log, secrets, randomBytes, crmOauth: (name) => map.get(name), ...parts };
  };
  const ctx = process();
  const store = async (grant: Grant) => {
    const sealed = secrets.encrypt(writeGrant(grant), { kind: 'CRM token', id: connection.id });
    await db.query('update connections set crm_token = $2 where id = $1', [connection.id, sealed]);
  };
  return {
    ...{ connection, oauth, ctx, process, store },
    fetch: callEndpoint,
    async grant(secondsLeft) {
      const { accessToken, refreshToken } = oauth.issueGrant({ clientId: client.id });
      const expiresAt =
        secondsLeft === undefined ? null : new Date(now().getTime() + secondsLeft * 1_000).toISOString();
      const grant: RefreshGrant = {
        ...{ type: 'refresh_token', accessToken, refreshToken, expiresAt, loginUrl },
        ...{ apiUrl: loginUrl, rotates: null, scopes: null },
      };
      await store(grant);
      return grant;
    },
    stored: () => readStoredGrant(ctx, connection),
    async column() {
      const { rows: found } = await db.query<{ token: string | null }>(
        'select crm_token as token from connections where id = $1',
        [connection.id],
      );
      return found[0]?.token ?? null;
    },
    renew: (refusedToken, by = ctx) =>
      renewGrant(by, connection, {
        isUsable: (grant) => grant.accessToken !== refusedToken,
        waits: true,
      }),
  };
}

/** @throws Error when the renewal failed */
export function tokenOf(result: StoredGrant | CrmFailed): string | null {
  if ('status' in result) throw new Error(result.error.message);
  return result.grant.accessToken;
}
