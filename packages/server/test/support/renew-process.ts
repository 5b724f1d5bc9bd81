/**
 * A process that renews the access token of one connection: `node renew-process.ts CONNECTION_ID CRM REFUSED_TOKEN [RATE]`, with
 * the server's environment. It prints `ready`, waits for a line on stdin, and prints the token that it got, or the code
 * of the failure. While another process renews it, it asks again, as jobs do. Clocks of the same rate agree.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createCrmOauth } from '@svc/crm';
import { readConfig } from '@svc/engine/config/config';
import { oauthAddresses } from '@svc/engine/config/public-urls';
import { renewGrant } from '@svc/engine/crm/renew-grant';
import { type Clock, systemClock } from '@svc/engine/runtime/clock';
import { createLogger } from '@svc/engine/runtime/logger';
import { createSecretBox } from '@svc/engine/secrets/secret-box';
import { openPostgres } from '@svc/engine/store/database/postgres';

const [id = '', crm = '', refusedToken = '', rateText = '1'] = process.argv.slice(2);
const rate = Number(rateText);
const clock: Clock = {
  now: () => new Date(systemClock.now().getTime() * rate),
  monotonicMs: () => systemClock.monotonicMs() * rate,
  setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / rate),
};
const config = readConfig();
const oauth = createCrmOauth({ fetch: globalThis.fetch, now: () => clock.now(), ...oauthAddresses(config) });
const db = openPostgres(config.databaseUrl ?? '', { maxConnections: 1 });
const ctx = {
  ...{ db, clock, log: createLogger({ logLevel: 'error', logFormat: 'json' }), randomBytes },
  secrets: createSecretBox(config.encryptionKeys ?? []),
  crmOauth: (name: string) => oauth.get(name),
};
await db.query('select 1');
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const isUsable = (grant: { accessToken: string | null }) => grant.accessToken !== refusedToken;
let result = '';
do {
  const renewed = await renewGrant(ctx, { id: Number(id), crm }, { isUsable, waits: true });
  result = 'status' in renewed ? renewed.error.code : (renewed.grant.accessToken ?? '');
} while (result === 'token_busy');
process.stdout.write(`${result}\n`);
await db.close();
process.exit(0);
