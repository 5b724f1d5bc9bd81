/** What is erased of a person in each table, and how. SQL in which `t` is the table and `p` has the person's patterns. */

import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { ERASED } from '../../store/erased.ts';

export interface Table {
  /** The table, or the one that this is a partition of. */
  name: string;
  /** Quoted name of the table or partition. */
  partition: string;
  pages: number;
  columns: { name: string; type: 'text' | 'json' | 'array' | 'other' }[];
}

export interface Finding {
  table: string;
  /** What of it: `payloads`, `events`, or the name of a column. */
  what: string;
}

export interface Step extends Pick<Finding, 'what'> {
  where: string;
  /** Absent: it is only counted. */
  change?: { set: string } | 'delete';
  /** SQL that selects kind and ref of the jobs about the rows with the ids `$1`; they are deleted first. */
  jobs?: string;
  /** Statements about the rows with the ids `$1`, run after the jobs are deleted. `$2` is now. */
  more?: readonly (Finding & { text: string })[];
}

/** Receipts that were not processed yet: their payload may hold events of other people. */
export const WAITING = 'waiting payloads';

/** The first condition is cheap, and false for nearly all rows. */
const has = (text: string) => `(lower(${text}) like any(p.hints) and ${text} ~* p.within)`;
const scrubbed = (text: string) => `regexp_replace(${text}, p.within, '${ERASED}', 'gi')`;
const scrubbedJson = (column: string) => `${scrubbed(`${column}::text`)}::jsonb`;

const PAYLOAD = `coalesce(${has(`encode(t.body, 'escape')`)} or ${has('t.headers::text')}, false)`;
const NO_PAYLOAD = `body = null, headers = '{}'`;

const IS_PERSON = `(${has('t.to_email')} or coalesce(${has(`t.normalized #>> '{contact,email}'`)}, false)
  or coalesce(${has(`t.normalized #>> '{contact,profileUrl}'`)}, false))`;
/** Keys that hold the identity are an exception: platforms give ids, and derived keys are hashes. */
const EVENT_KEY = `case when ${has('t.event_key')} then '${ERASED} ' || encode(sha256(convert_to(t.event_key, 'UTF8')), 'hex')
  else t.event_key end`;
/** Replaces what an event says about its person. Without a field that is added later, this does not compile. */
const NOBODY: Omit<
  InboundEvent,
  'eventKey' | 'eventType' | 'occurredAt' | 'fromEmail' | 'campaign' | 'category' | 'sequenceNumber'
> = {
  toEmail: ERASED,
  contact: BLANK_CONTACT,
  replySender: null,
  subject: null,
  bodyHtml: null,
  bodyText: null,
  messageId: null,
  answeredMessageId: null,
  linkUrls: [],
};

/** The message of a CRM may repeat anything of the event. */
const SYNC_ERROR = `case when t.error is not null then t.error || '{"message":"${ERASED}"}' end`;

/** The steps of tables whose rows are about one person each. */
const PERSONAL: Readonly<Record<string, readonly Step[]>> = {
  inbound_events: [
    {
      what: 'events',
      where: IS_PERSON,
      jobs: `select 'write-crm', e.id::text from inbound_events e where e.id = any($1)
        union all select 'forward-event', e.id || '/' || d.id from inbound_events e
          join destinations d on d.connection_id = e.connection_id where e.id = any($1)
        union all select 'relay-reply', m.id::text from relay_mails m where m.event_id = any($1)`,
      more: [
        {
          ...{ table: 'relay_mails', what: 'waiting mails' },
          text: `update relay_mails set status = 'skipped', error = 'The data of this person was erased.',
            next_attempt_at = null, ended_at = $2 where event_id = any($1) and ended_at is null`,
        },
        {
          // Found by their event, because the payload writes the identity in a way that no pattern finds.
          ...{ table: 'requests', what: 'payloads' },
          text: `update requests set ${NO_PAYLOAD} where body is not null and $2::timestamptz is not null
            and id in (select request_id from inbound_events where id = any($1))`,
        },
      ],
      change: {
        set: `to_email = '${ERASED}', event_key = ${EVENT_KEY},
          normalized = (t.normalized || '${JSON.stringify(NOBODY)}'::jsonb) || jsonb_build_object('eventKey', ${EVENT_KEY})`,
      },
    },
    {
      what: 'mentions in other events',
      where: `not ${IS_PERSON} and (${has('t.normalized::text')} or ${has('t.event_key')})`,
      change: { set: `normalized = ${scrubbedJson('t.normalized')}, event_key = ${EVENT_KEY}` },
    },
  ],
  syncs: [
    {
      what: 'recipients',
      where: has('t.to_email'),
      jobs: `select 'retry-sync', unnest($1::bigint[])::text`,
      // Without its payload, a sync cannot be retried.
      change: { set: `to_email = '${ERASED}', payload_id = null, error = ${SYNC_ERROR}` },
    },
  ],
  deliveries: [
    {
      what: 'recipients',
      where: has('t.to_email'),
      jobs: `select 'replay-delivery', unnest($1::bigint[])::text`,
      // Without its payload, a delivery cannot be replayed.
      change: { set: `to_email = '${ERASED}', payload_id = null, error = ${scrubbed('t.error')}` },
    },
  ],
  requests: [
    {
      what: 'payloads',
      where: `t.outcome is not null and ${PAYLOAD}`,
      change: { set: `${NO_PAYLOAD}, outcome_reason = ${scrubbed('t.outcome_reason')}` },
    },
    { what: WAITING, where: `t.outcome is null and ${PAYLOAD}` },
  ],
  category_signals: [{ what: 'signals', where: has('t.identity'), change: 'delete' }],
  crm_records: [{ what: 'remembered records', where: has('t.identity'), change: 'delete' }],
};

/** Texts about something else in which a person may be mentioned, such as the message of an error. */
const MENTIONING: Readonly<Record<string, readonly string[]>> = {
  requests: ['outcome_reason'],
  syncs: ['error'],
  deliveries: ['error'],
  events: ['summary', 'data'],
  webhook_deliveries: ['last_error'],
  connections: ['recorded_error'],
  crm_outages: ['error'],
  blocklists: ['last_error'],
  relay_mails: ['error'],
  jobs: ['state', 'last_error'],
  receipt_runs: ['stop_reason'],
  audit_log: ['actor', 'input'],
};

/** Columns that steps of `PERSONAL` treat. */
const TREATED = new Set([
  'inbound_events.to_email',
  'inbound_events.normalized',
  'inbound_events.event_key',
  'syncs.to_email',
  'deliveries.to_email',
  'requests.headers',
  'category_signals.identity',
  'crm_records.identity',
]);

/** Every column that can hold text is in a step, so that nothing which is left stays unsaid. */
export function stepsOf({ name, columns }: Table): Step[] {
  const personal = PERSONAL[name] ?? [];
  // Such rows are counted once.
  const butNot = personal.map(({ where }) => ` and not coalesce(${where}, false)`).join('');
  const texts = columns.filter(({ name: column, type }) => type !== 'other' && !TREATED.has(`${name}.${column}`));
  const others = texts.map(({ name: column, type }): Step => {
    const quoted = `t.${column}`;
    const text = type === 'json' ? `${quoted}::text` : type === 'array' ? `array_to_string(${quoted}, ' ')` : quoted;
    const what = column;
    if (MENTIONING[name]?.includes(column) !== true) return { what, where: has(text) };
    const value = type === 'json' ? scrubbedJson(quoted) : scrubbed(quoted);
    return { what, where: `${has(text)}${butNot}`, change: { set: `${column} = ${value}` } };
  });
  return [...personal, ...others];
}

/** Why rows that hold the identity stay. */
export function reasonToKeep(table: string): string {
  if (table === 'blocklist_entries') return 'keeps the person blocked; remove it from the list in the CRM';
  return 'a setting; change it with its command';
}

/** SQL that is true for rows of the account `p.account_id`; null for tables whose rows belong to none. */
export function ownedBy({ name, columns }: Table): string | null {
  const names = new Set(columns.map((column) => column.name));
  const connections = 'select id from connections where account_id = p.account_id';
  const special: Readonly<Record<string, string>> = {
    accounts: 't.id = p.account_id',
    webhook_deliveries: 't.webhook_id in (select id from webhooks where account_id = p.account_id)',
    blocklist_entries: `t.blocklist_id in (select id from blocklists where connection_id in (${connections}))`,
    receipt_runs: `t.source_id in (select id from sources where connection_id in (${connections}))`,
    source_mappings: `t.source_id in (select id from sources where connection_id in (${connections}))`,
    jobs: `(t.fairness_key in (select 'connection:' || id from connections where account_id = p.account_id)
      or starts_with(t.fairness_key, 'account:' || p.account_id || '/'))`,
  };
  if (special[name] !== undefined) return special[name];
  if (names.has('account_id')) return 't.account_id = p.account_id';
  return names.has('connection_id') ? `t.connection_id in (${connections})` : null;
}
