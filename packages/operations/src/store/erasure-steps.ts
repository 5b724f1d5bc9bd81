/** What is erased of a person in a row of each table. */
import { createHash } from 'node:crypto';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { KEYED_BY } from '@svc/engine/jobs/kinds';
import { erasedJobsSql } from '@svc/engine/store/job-rows';
import { ERASED } from '@svc/engine/store/erased';
import type { PersonSearch } from './person-search.ts';

export interface Table {
  /** The table; of a partition, the table that it belongs to. */
  name: string;
  /** Quoted name of the table or partition. */
  partition: string;
  pages: number;
  /** With PostgreSQL's names of their types. */
  columns: { name: string; type: string }[];
}

export interface Finding {
  table: string;
  /** What of it: `payloads`, `events`, or the name of a column. */
  what: string;
}

/** A version of a row, with its columns that hold text: JSON and arrays are JSON. */
export interface Row {
  /** Null when the table has no such column. */
  id: number | null;
  /** Where this version of the row is, and the transaction that wrote it: another version differs in one of them. */
  place: string;
  version: string;
  texts: Readonly<Record<string, string | null>>;
  /** Whether it is a receipt that is not processed yet. */
  isWaiting: boolean;
  /** Recipients of the events that a receipt gave or repeated; null for rows of other tables. */
  recipients: readonly string[] | null;
}

export interface RowErasure {
  /** What was found, each counted as one row. */
  whats: string[];
  /** New values of columns, as text; `delete`: the row goes. */
  change: Readonly<Record<string, string | null>> | 'delete';
}

export interface Judgement {
  erasure: RowErasure | null;
  /** What stays of the person: columns that are settings, and `WAITING`. */
  kept: string[];
  /** Other addresses and profile URLs of the person's event. */
  otherIdentities: string[];
}

/** Receipts that were not processed yet: their payload may hold events of other people. */
export const WAITING = 'waiting payloads';
const EVENTS = 'events';
const HELD_EVENTS = 'held events';

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

const NO_REPLY: Partial<InboundEvent> = {
  replySender: null,
  subject: null,
  bodyHtml: null,
  bodyText: null,
  messageId: null,
};

type Personal = (
  row: Row,
  person: PersonSearch,
) => Promise<{ what: string; change: RowErasure['change'] | null } | null>;

/** Tables whose rows are about one person each. What else such a row says of the person is scrubbed. */
const PERSONAL: Readonly<Record<string, Personal>> = {
  inbound_events: async ({ texts }, person) => {
    const identities = identitiesOf(texts);
    if (!(await mentionsAny(person, identities))) {
      const { normalized = null, event_key: key = null } = texts;
      if (!(await mentionsAny(person, [normalized, key]))) return null;
      const event = readObject(normalized);
      // What a colleague of the lead wrote is the colleague's.
      const isWriter = await mentionsAny(person, [JSON.stringify(event['replySender'] ?? null)]);
      const rest = isWriter ? JSON.stringify({ ...event, ...NO_REPLY }) : normalized;
      const change = { normalized: await scrub(person, rest), event_key: await withoutIdentity(person, key) };
      return { what: 'mentions in other events', change };
    }
    const key = await withoutIdentity(person, texts['event_key'] ?? '');
    const event = JSON.stringify({ ...readObject(texts['normalized']), ...NOBODY, eventKey: key });
    return {
      what: EVENTS,
      change: { to_email: ERASED, event_key: key, normalized: await person.scrub(event) },
    };
  },
  syncs: async ({ texts }, person) => {
    if (!(await mentionsAny(person, [texts['to_email']]))) return null;
    const { error = null } = texts;
    // The message of a CRM may repeat anything of the event. Without its payload, a sync cannot be retried.
    const message = error === null ? null : JSON.stringify({ ...readObject(error), message: ERASED });
    return { what: 'recipients', change: { to_email: ERASED, payload_id: null, error: await scrub(person, message) } };
  },
  deliveries: async ({ texts }, person) => {
    if (!(await mentionsAny(person, [texts['to_email']]))) return null;
    // Without its payload, a delivery cannot be replayed.
    return {
      what: 'recipients',
      change: { to_email: ERASED, payload_id: null, error: await scrub(person, texts['error']) },
    };
  },
  requests: async ({ texts, recipients, isWaiting }, person) => {
    const { body = null, headers = null, outcome_reason: reason } = texts;
    if (body === null && headers === '{}') return null;
    // The payload may write the identity in a way in which only its adapter understood it.
    const isOfEvent = recipients?.includes(ERASED) === true || (await mentionsAny(person, recipients ?? []));
    if (!isOfEvent && !(await mentionsAny(person, [body, headers]))) return null;
    if (isWaiting) return { what: WAITING, change: null };
    return { what: 'payloads', change: { body: null, headers: '{}', outcome_reason: await scrub(person, reason) } };
  },
  category_signals: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['identity']])) ? { what: 'signals', change: 'delete' } : null,
  held_events: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['recipient']])) ? { what: HELD_EVENTS, change: 'delete' } : null,
  released_leads: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['recipient']])) ? { what: 'released leads', change: 'delete' } : null,
  last_values: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['identity'], texts['merged_into']]))
      ? { what: 'last values', change: 'delete' }
      : null,
  suppressions: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['value']])) ? { what: 'suppressions', change: 'delete' } : null,
  blocklist_removals: async ({ texts }, person) =>
    (await mentionsAny(person, [texts['value']])) ? { what: 'block list removals', change: 'delete' } : null,
  crm_records: async ({ texts }, person) =>
    (await mentionsAny(person, [withoutKind(texts['identity'])]))
      ? { what: 'remembered records', change: 'delete' }
      : null,
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
  blocklists: ['last_error', 'suppression_error', 'removal_error'],
  source_wirings: ['error'],
  relay_mails: ['error', 'recipient', 'route_note'],
  jobs: ['state', 'last_error'],
  set_aside_jobs: ['state', 'error'],
  receipt_runs: ['stop_reason'],
  backfill_runs: ['stop_reason', 'counts'],
  last_values: ['state'],
  // Not who made a change: else whoever erases their own address hides what they did.
  audit_log: ['input'],
};

/** Columns that `PERSONAL` treats. */
const TREATED = new Set([
  'inbound_events.to_email',
  'inbound_events.normalized',
  'inbound_events.event_key',
  'syncs.to_email',
  'deliveries.to_email',
  'requests.headers',
  'requests.body',
  'category_signals.identity',
  'crm_records.identity',
  'suppressions.value',
  'blocklist_removals.value',
  'held_events.recipient',
  'released_leads.recipient',
  'last_values.identity',
  'last_values.merged_into',
]);

/** Every column that can hold text is looked at, so that nothing which is left stays unsaid. */
export async function judge({ name, columns }: Table, row: Row, person: PersonSearch): Promise<Judgement> {
  const personal = (await PERSONAL[name]?.(row, person)) ?? null;
  const kept: string[] = personal?.what === WAITING ? [WAITING] : [];
  const whats = personal === null || personal.change === null ? [] : [personal.what];
  const change: Record<string, string | null> = typeof personal?.change === 'object' ? { ...personal.change } : {};
  for (const column of columns) {
    const text = row.texts[column.name] ?? null;
    if (text === null || TREATED.has(`${name}.${column.name}`) || change[column.name] !== undefined) continue;
    const scrubbed = await person.scrub(text);
    if (scrubbed === text) continue;
    if (MENTIONING[name]?.includes(column.name) !== true) kept.push(column.name);
    else {
      change[column.name] = scrubbed;
      // A row that is erased as a person's is counted once.
      if (personal === null) whats.push(column.name);
    }
  }
  const isDeleted = personal?.change === 'delete';
  const hasChange = isDeleted || Object.keys(change).length > 0;
  return {
    erasure: hasChange ? { whats, change: isDeleted ? 'delete' : change } : null,
    kept,
    otherIdentities: personal?.what === EVENTS ? await othersOf(row, person) : [],
  };
}

/** Keys that hold the identity are an exception: platforms give ids, and derived keys are hashes. */
async function withoutIdentity(person: PersonSearch, key: string | null): Promise<string | null> {
  if (key === null || !(await person.mentions(key))) return key;
  return `${ERASED} ${createHash('sha256').update(key).digest('hex')}`;
}

/** Keys of remembered records begin with what they are the key of. */
function withoutKind(identity: string | null | undefined): string | null {
  return identity?.replace(/^[a-z-]+:(?!\/\/)/, '') ?? null;
}

/** Returns the addresses and profile URLs of an event that are not the person's. */
export async function othersOf({ texts }: Pick<Row, 'texts'>, person: PersonSearch): Promise<string[]> {
  const others: string[] = [];
  for (const identity of identitiesOf(texts))
    if (!(await person.mentions(identity))) others.push(identity.toLowerCase());
  return others;
}

function identitiesOf(texts: Row['texts']): string[] {
  const contact = readObject(JSON.stringify(readObject(texts['normalized'])['contact'] ?? null));
  return [texts['to_email'], contact['email'], contact['profileUrl']].filter(
    (value): value is string => typeof value === 'string' && value !== '' && value !== ERASED,
  );
}

async function mentionsAny(person: PersonSearch, texts: readonly (string | null | undefined)[]): Promise<boolean> {
  for (const text of texts) if (typeof text === 'string' && (await person.mentions(text))) return true;
  return false;
}

async function scrub(person: PersonSearch, text: string | null | undefined): Promise<string | null> {
  return typeof text === 'string' ? person.scrub(text) : null;
}

function readObject(json: string | null | undefined): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json ?? 'null');
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export interface Consequences {
  /** Deletes what waits to become a job of the rows with the ids `$1`. First, so that it is no job that nobody deletes. */
  waiting?: Finding & { text: string };
  /** SQL that selects kind and ref of the jobs about the rows with the ids `$1`; they are deleted next. */
  jobs: string;
  /** A statement about the rows with the ids `$1`, run after the jobs are deleted. `$2` is now. */
  more?: Finding & { text: string };
}

/** What an erasure in these tables ends. */
export const CONSEQUENCES: Readonly<Record<string, Consequences>> = {
  [EVENTS]: {
    waiting: {
      ...{ table: 'held_events', what: HELD_EVENTS },
      text: `with locked as materialized (
          select event_id from held_events where event_id = any($1) order by event_id for update
        )
        delete from held_events using locked where held_events.event_id = locked.event_id`,
    },
    jobs: erasedJobsSql('inbound_events'),
    more: {
      ...{ table: 'relay_mails', what: 'waiting mails' },
      text: `update relay_mails set status = 'skipped', error = 'The data of this person was erased.',
        next_attempt_at = null, ended_at = $2 where event_id = any($1) and ended_at is null`,
    },
  },
  'syncs recipients': { jobs: erasedJobsSql('syncs') },
  'deliveries recipients': { jobs: erasedJobsSql('deliveries') },
};

/** Why rows that hold the identity stay. */
export function reasonToKeep(table: string): string {
  if (table === 'blocklist_entries') return 'keeps the person blocked; remove it from the list in the CRM';
  if (table === 'audit_log') return 'says who changed something in this service';
  if (table === 'users') return 'a user of the dashboard; remove them with svc-server users remove';
  return 'a setting; change it with its command';
}

/** SQL that is true for rows `t` of the account `$1`; null for tables whose rows belong to none. */
export function ownedBy({ name, columns }: Table): string | null {
  const connections = 'select id from connections where account_id = $1';
  const queued = `(${[...new Set(Object.values(KEYED_BY).flatMap(({ account }) => account ?? []))].join(' or ')})`;
  const bySource = `t.source_id in (select id from sources where connection_id in (${connections}))`;
  const special: Readonly<Record<string, string>> = {
    accounts: 't.id = $1',
    webhook_deliveries: 't.webhook_id in (select id from webhooks where account_id = $1)',
    blocklist_entries: `t.blocklist_id in (select id from blocklists where connection_id in (${connections}))`,
    blocklist_removals: `t.blocklist_id in (select id from blocklists where connection_id in (${connections}))`,
    suppressions: `t.blocklist_id in (select id from blocklists where connection_id in (${connections}))`,
    held_events: bySource,
    released_leads: bySource,
    receipt_runs: bySource,
    backfill_runs: bySource,
    source_mappings: bySource,
    source_wirings: bySource,
    jobs: queued,
    set_aside_jobs: queued,
  };
  if (special[name] !== undefined) return special[name];
  const has = (wanted: string) => columns.some((column) => column.name === wanted);
  if (has('account_id')) return 't.account_id = $1';
  return has('connection_id') ? `t.connection_id in (${connections})` : null;
}
