/**
 * A database with long logs for testing lists and look-ups at any size: one account with many connections, of which the
 * first has half of all rows, evenly spread over thirty days. SQL makes the same rows every time.
 *
 * Rare rows (of a rare connection, source, destination, status or type) are the oldest, so a list that reads down from
 * the newest row finds them last.
 */
import { hashApiKey } from '../../src/secrets/secret-box.ts';
import type { Database } from '../../src/store/database/db.ts';

/** Names of what is in such a database. */
export const LOG = {
  accountId: 1_000,
  key: 'osapi_log_rows',
  /** The other connections follow; the last one is the rare one. */
  busyConnectionId: 1_001,
  busySourceId: 1_001,
  /** A source of the busy connection. */
  rareSourceId: 9_999,
  busyDestinationId: 1_001,
  rareDestinationId: 9_999,
  webhookId: 'oswhk_busy',
  /** Each name says how many rows of each log are about the contact; `many` is one of 200 contacts. */
  contacts: { one: 'one@example.org', fifty: 'fifty@example.org', many: 'many@example.org' },
  profiles: {
    one: 'https://linkedin.com/in/one',
    fifty: 'https://linkedin.com/in/fifty',
    many: 'https://linkedin.com/in/many',
  },
} as const;

/** Number of rows of a rare connection, source, destination, status or type. */
export const RARE_ROWS = 20;
const DAYS = 30;

export interface LogRows {
  connectionIds: number[];
  /** From before the oldest to after the newest row. */
  range: { from: Date; to: Date };
}

const LOGS = ['requests', 'syncs', 'deliveries', 'events', 'webhook_deliveries'] as const;
type Log = (typeof LOGS)[number] | 'inbound_events';

/**
 * @param options.rows of each log, a multiple of 1,000
 * @param options.logs which to fill, default all but `inbound_events`; webhook deliveries need events
 * @param options.connections of the account, at least 3
 * @param options.now instant of the newest rows
 */
export async function insertLogRows(
  db: Database,
  options: { rows: number; connections: number; now: Date; logs?: readonly Log[] },
): Promise<LogRows> {
  const { rows, connections, now, logs = LOGS } = options;
  const from = new Date(now.getTime() - DAYS * 86_400_000);
  const connectionIds = Array.from({ length: connections }, (_, index) => LOG.busyConnectionId + index);
  const rareConnectionId = LOG.busyConnectionId + connections - 1;
  await db.script(configurationSql(connections, `timestamptz '${from.toISOString()}'`));
  // Rows 1 to 20 are rare ones of the busy connection, 21 to 40 those of the rare connection.
  const numbered = `
    select n, n <= ${RARE_ROWS} as is_rare, timestamptz '${from.toISOString()}' + interval '${DAYS} days' * n / ${rows} as at,
      case when n > ${RARE_ROWS} and n <= ${2 * RARE_ROWS} then ${rareConnectionId}
        when n <= ${RARE_ROWS} or n % 2 = 0 then ${LOG.busyConnectionId}
        else ${LOG.busyConnectionId + 1} + n / 2 % ${connections - 2} end as connection_id,
      case when n = ${rows / 2 + 1} then '${LOG.contacts.one}' when n = ${rows / 2 + 11} then '${LOG.profiles.one}'
        when n % ${rows / 50} = 2 then '${LOG.contacts.fifty}' when n % ${rows / 50} = 4 then '${LOG.profiles.fifty}'
        when n % 200 = 6 then '${LOG.contacts.many}' when n % 200 = 8 then '${LOG.profiles.many}'
        else 'lead-' || n || '@example.org' end as to_email
    from generate_series(1, ${rows}) n`;
  await db.script(`create unlogged table numbered as ${numbered}`, { isLong: true });
  for (const table of logs) {
    await db.script(LOG_SQL[table], { isLong: true });
    await db.script(`vacuum (analyze) ${table}`, { isLong: true });
  }
  await db.query('drop table numbered');
  return { connectionIds, range: { from, to: now } };
}

/**
 * Creates the account, a key that sees all of it, its connections with a source and a destination each, and a webhook.
 *
 * @param at SQL expression of the creation time
 */
export function configurationSql(connections: number, at: string): string {
  const { accountId, busyConnectionId: first, busySourceId, busyDestinationId, webhookId } = LOG;
  const each = `from generate_series(0, ${connections - 1}) i`;
  return `
    insert into accounts (id, email, can_use_webhooks, created_at) values (${accountId}, 'log@example.com', true, ${at});
    insert into connections (id, account_id, crm, organization_id, organization_domain, can_use_api, created_at)
      select ${first} + i, ${accountId}, 'HUBSPOT', i, 'example.com', true, ${at} ${each};
    insert into api_keys (account_id, token_hash, name, scopes, connection_scope, created_at)
      values (${accountId}, '\\x${hashApiKey(LOG.key).toString('hex')}', 'log', '{read,write}', 'account', ${at});
    insert into sources (id, connection_id, platform, path, created_at)
      select ${busySourceId} + i, ${first} + i, 'smartlead', 'log-' || i, ${at} ${each}
      union all select ${LOG.rareSourceId}, ${first}, 'smartlead', 'log-rare', ${at};
    insert into destinations (id, connection_id, url, created_at)
      select ${busyDestinationId} + i, ${first} + i, 'https://hooks.example.com/' || i, ${at} ${each}
      union all select ${LOG.rareDestinationId}, ${first}, 'https://hooks.example.com/rare', ${at};
    insert into webhooks (id, account_id, url, secret, created_at, updated_at)
      values ('${webhookId}', ${accountId}, 'https://hooks.example.com/', 'sealed', ${at}, ${at});`;
}

const SOURCE = `case when is_rare then ${LOG.rareSourceId} else connection_id end`;
const DESTINATION = `case when is_rare then ${LOG.rareDestinationId} else connection_id end`;
const STATUS = `case when is_rare then 'error' else 'success' end`;
/** One row in a hundred belongs to no connection, where a log allows that. */
const orNull = (value: string) => `case when n % 100 = 99 then null else ${value} end`;

/** Fills a log from a table of row numbers, instants, owners and recipients. */
const LOG_SQL: Readonly<Record<Log, string>> = {
  requests: `insert into requests (account_id, connection_id, source_id, path, outcome, created_at)
    select ${LOG.accountId}, ${orNull('connection_id')}, ${orNull(SOURCE)}, 'log',
      case when is_rare then 'duplicate' else 'synced' end, at from numbered order by n`,
  // A contact that is a profile URL has it in the event, as contacts without an address have.
  inbound_events: `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
      normalized, received_at, created_at)
    select n, ${SOURCE}, connection_id, 'log-' || n, 'EMAIL_SENT', to_email, 'smartlead',
      jsonb_build_object('contact', case when to_email like 'https:%' then jsonb_build_object('profileUrl', to_email)
        else jsonb_build_object('email', to_email) end), at, at from numbered order by n`,
  syncs: `insert into syncs (account_id, connection_id, source_id, payload_id, status, event_type, to_email, platform, created_at)
    select ${LOG.accountId}, connection_id, ${SOURCE}, n, ${STATUS}, 'EMAIL_SENT', to_email, 'smartlead', at
    from numbered order by n`,
  deliveries: `insert into deliveries (account_id, connection_id, destination_id, destination_url, status, http_status,
      source_id, event_type, to_email, payload_id, created_at)
    select ${LOG.accountId}, connection_id, ${DESTINATION}, 'https://hooks.example.com/', ${STATUS}, 200,
      ${SOURCE}, 'EMAIL_SENT', to_email, n, at from numbered order by n`,
  events: `insert into events (id, account_id, connection_id, source_id, type, summary, data, is_delivered, created_at)
    select 'osevt_' || lpad(n::text, 10, '0'), ${LOG.accountId}, ${orNull('connection_id')}, ${orNull(SOURCE)},
      case when is_rare then 'sync.recovered' else 'sync.failed' end, 'A sync', '{}', not is_rare, at
    from numbered order by n`,
  webhook_deliveries: `insert into webhook_deliveries (id, event_id, webhook_id, status, attempt_count, created_at, updated_at)
    select 'oswhd_' || lpad(n::text, 10, '0'), 'osevt_' || lpad(n::text, 10, '0'), '${LOG.webhookId}',
      case when is_rare then 'DEAD' else 'SUCCEEDED' end, 1, at, at from numbered order by n`,
};
