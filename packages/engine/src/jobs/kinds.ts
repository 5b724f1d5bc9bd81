/**
 * All kinds of jobs, and what everybody who treats jobs does with each kind. A new kind begins here: its name stands in no
 * other file (lint rule `svc/job-kinds`), and `server/test/admin/job-kinds.test.ts` says what it lacks.
 *
 * What holds for every kind:
 * - At most one job of a kind and `ref` exists. Its `ref` begins with the id of its subject; without that row a job ends
 *   without effect.
 * - No kind has a priority: jobs come in the order in which they were enqueued, and the owners of fairness keys take turns
 *   (`queue/claims.ts`).
 * - While a job waits or runs, the months of the logs that its subject needs are not dropped (`JOB_SUBJECTS`).
 * - A job that was set aside goes with the same removals and erasures as one that waits. It holds no month, because nobody
 *   may ever retry it, and logs are kept no longer than the operator said.
 */
import {
  connectionsOfAccount,
  destinationKeysWhere,
  EVENTS_OF_CONNECTION,
  SOURCES_OF_ACCOUNT,
  SOURCES_OF_CONNECTION,
} from './kinds.sql.ts';

export const PROCESS_RECEIPT = 'process-receipt';
export const REPROCESS_RECEIPTS = 'reprocess-receipts';
export const WRITE_CRM = 'write-crm';
export const RETRY_SYNC = 'retry-sync';
export const PROBE_CRM = 'probe-crm';
export const FORWARD_EVENT = 'forward-event';
export const REPLAY_DELIVERY = 'replay-delivery';
export const DELIVER_WEBHOOK = 'deliver-webhook';
export const RELAY_REPLY = 'relay-reply';
export const RELAY_DIGEST = 'relay-digest';
export const SEND_ALERT = 'send-alert';
export const MAIL_ALERT = 'mail-alert';
export const FETCH_BLOCKLIST = 'fetch-blocklist';
export const PUSH_BLOCKLIST = 'push-blocklist';
export const TOP_UP_BLOCKLIST = 'top-up-blocklist';
export const CHECK_WIRING = 'check-wiring';
export const PUSH_SUPPRESSIONS = 'push-suppressions';
export const REMOVE_ENTRIES = 'remove-entries';
export const BACKFILL_SOURCE = 'backfill-source';

/** What operators can remove (`svc-server <noun> remove`). */
export type Removable =
  | 'account'
  | 'connection'
  | 'source'
  | 'destination'
  | 'relay'
  | 'blocklist'
  | 'sequencer-key'
  | 'alert';

/**
 * The workers that run a kind. `posts`: to addresses that customers chose; `mails`: through the mail server. Both may hang
 * for long, and then delay only their own kinds. `main`: all others.
 */
type Pool = 'main' | 'posts' | 'mails';

/**
 * Kinds of one group exclude each other, and themselves, at the same fairness key, in all processes.
 * `receipts`: the receipts of a connection are read one after another, so its events keep their order. `crm`: its events
 * are written one after another, so two writes never make one contact twice; a probe writes a waiting event by itself.
 * `rereading`: reading receipts again is no hurry, so one worker does it for all sources. `alerts`: chats take about one
 * message a second, so a channel gets them one after another.
 */
type SerialGroup = 'receipts' | 'crm' | 'rereading' | 'alerts';

/**
 * The keys by which the queue shares its workers. The part of a key before `/` names its owner, and owners take turns.
 * Endpoints and relays have keys of their own below that of their account: an attempt at one that hangs takes ten seconds,
 * and must delay no others.
 */
export const fairnessKeys = {
  connection: (connectionId: number) => `connection:${connectionId}`,
  destination: (accountId: number, destinationId: number) => `account:${accountId}/destination:${destinationId}`,
  webhook: (accountId: number, webhookId: string) => `account:${accountId}/webhook:${webhookId}`,
  relay: (accountId: number, relayId: number) => `account:${accountId}/relay:${relayId}`,
  rereading: () => 'reprocess',
  alert: (accountId: number | null, channelId: number) =>
    `${accountId === null ? 'installation' : `account:${accountId}`}/alert:${channelId}`,
} as const;

/** Returns SQL for the key of a connection. @param id SQL for its id */
export function connectionKeySql(id: string): string {
  return `'connection:' || ${id}`;
}

const IN_ACCOUNT = `starts_with(fairness_key, 'account:' || $1::bigint || '/')`;

/** SQL for the keys that name the removed row with the id `$1`, or what belongs to it. */
export const KEYED_BY: Readonly<Record<keyof typeof fairnessKeys, Readonly<Partial<Record<Removable, string>>>>> = {
  connection: {
    connection: `fairness_key = ${connectionKeySql('$1::bigint')}`,
    account: `fairness_key in (${connectionsOfAccount(connectionKeySql('id'))})`,
  },
  destination: {
    destination: `fairness_key in (${destinationKeysWhere('d.id = $1')})`,
    connection: `fairness_key in (${destinationKeysWhere('c.id = $1')})`,
    account: IN_ACCOUNT,
  },
  webhook: { account: IN_ACCOUNT },
  relay: { account: IN_ACCOUNT },
  rereading: {},
  alert: { account: IN_ACCOUNT },
};

/** The tables that have the subjects of jobs. */
interface JobSubject {
  /** PostgreSQL's type of its ids. */
  readonly id: 'bigint' | 'text';
  /** The logs of which a job needs a row, and the column of the subject that has the id of that row. */
  readonly logs: Readonly<Partial<Record<JobLog, string>>>;
  /** SQL for the subjects that belong to the removed row with the id `$1`. */
  readonly ownedBy: Readonly<Partial<Record<Removable, string>>>;
}

/** The logs with months (`LOG_TABLES` of `store/schema`) from which jobs need rows. */
export type JobLog = 'requests' | 'syncs' | 'deliveries' | 'events' | 'webhook_deliveries';

export const JOB_SUBJECTS = {
  requests: { id: 'bigint', logs: { requests: 'id' }, ownedBy: { source: 'source_id = $1' } },
  inbound_events: { id: 'bigint', logs: { requests: 'request_id' }, ownedBy: { source: 'source_id = $1' } },
  syncs: { id: 'bigint', logs: { syncs: 'id', requests: 'payload_id' }, ownedBy: { source: 'source_id = $1' } },
  deliveries: { id: 'bigint', logs: { deliveries: 'id', requests: 'payload_id' }, ownedBy: {} },
  webhook_deliveries: {
    id: 'text',
    logs: { webhook_deliveries: 'id', events: 'event_id' },
    ownedBy: { connection: `event_id in (${EVENTS_OF_CONNECTION})` },
  },
  relay_mails: { id: 'bigint', logs: {}, ownedBy: { connection: 'connection_id = $1' } },
  receipt_runs: {
    id: 'bigint',
    logs: {},
    ownedBy: {
      source: 'source_id = $1',
      connection: `source_id in (${SOURCES_OF_CONNECTION})`,
      account: `source_id in (${SOURCES_OF_ACCOUNT})`,
    },
  },
  backfill_runs: { id: 'bigint', logs: {}, ownedBy: { source: 'source_id = $1' } },
  blocklists: { id: 'bigint', logs: {}, ownedBy: { blocklist: 'id = $1' } },
  connections: { id: 'bigint', logs: {}, ownedBy: {} },
  sources: { id: 'bigint', logs: {}, ownedBy: { source: 'id = $1' } },
  alert_messages: { id: 'bigint', logs: {}, ownedBy: { alert: 'channel_id = $1' } },
} as const satisfies Readonly<Record<string, JobSubject>>;

export type SubjectTable = keyof typeof JOB_SUBJECTS;

interface JobKindRules {
  readonly pool: Pool;
  /** Null: workers run any number of its jobs of a fairness key at a time. */
  readonly serialGroup: SerialGroup | null;
  readonly fairnessKey: keyof typeof fairnessKeys;
  /** The table of the row whose id its `ref` begins with. */
  readonly subject: SubjectTable;
  /** What its `ref` has behind the subject and a `/`: the id of a destination, or the run of a block list. Null: nothing. */
  readonly refEnd: 'destination' | 'run' | null;
  /** The removals that delete its jobs: of what its fairness key names, or of what owns its subject. */
  readonly removedWith: Readonly<Partial<Record<Removable, 'key' | 'subject'>>>;
  /**
   * The table whose rows take its jobs with them when the data of a person in them is erased. Null: the jobs stay, and what
   * their state says of the person is erased (`erasure-steps.ts`).
   */
  readonly erasedWith: 'inbound_events' | 'syncs' | 'deliveries' | null;
}

const BY_CONNECTION = { connection: 'key', account: 'key' } as const;

/** What blocklist jobs have in common. */
const OF_BLOCKLIST = {
  pool: 'main',
  // They only read the CRM, and may take long.
  serialGroup: null,
  fairnessKey: 'connection',
  subject: 'blocklists',
  removedWith: { blocklist: 'subject', ...BY_CONNECTION },
  erasedWith: null,
} as const;

/** What the jobs of alerts have in common. */
const OF_ALERT = {
  serialGroup: 'alerts',
  fairnessKey: 'alert',
  subject: 'alert_messages',
  refEnd: null,
  removedWith: { alert: 'subject', account: 'key' },
  erasedWith: null,
} as const;

export const JOB_KINDS = {
  /** Reads a receipt and stores its events. An erasure leaves it: its payload may also be about others. */
  [PROCESS_RECEIPT]: {
    pool: 'main',
    serialGroup: 'receipts',
    fairnessKey: 'connection',
    subject: 'requests',
    refEnd: null,
    removedWith: { source: 'subject', ...BY_CONNECTION },
    erasedWith: null,
  },
  /** Reads the stored receipts of a source again. */
  [REPROCESS_RECEIPTS]: {
    pool: 'main',
    serialGroup: 'rereading',
    fairnessKey: 'rereading',
    subject: 'receipt_runs',
    refEnd: null,
    removedWith: { source: 'subject', connection: 'subject', account: 'subject' },
    erasedWith: null,
  },
  /** Writes an event to the CRM of its connection. */
  [WRITE_CRM]: {
    pool: 'main',
    serialGroup: 'crm',
    fairnessKey: 'connection',
    subject: 'inbound_events',
    refEnd: null,
    removedWith: { source: 'subject', ...BY_CONNECTION },
    erasedWith: 'inbound_events',
  },
  /** Writes the event of a sync again, for a caller. */
  [RETRY_SYNC]: {
    pool: 'main',
    serialGroup: 'crm',
    fairnessKey: 'connection',
    subject: 'syncs',
    refEnd: null,
    removedWith: { source: 'subject', ...BY_CONNECTION },
    erasedWith: 'syncs',
  },
  /** Finds out whether the CRM of a connection works again. */
  [PROBE_CRM]: {
    pool: 'main',
    serialGroup: 'crm',
    fairnessKey: 'connection',
    subject: 'connections',
    refEnd: null,
    removedWith: BY_CONNECTION,
    erasedWith: null,
  },
  /** Posts the payload of an event to a destination. */
  [FORWARD_EVENT]: {
    pool: 'posts',
    serialGroup: null,
    fairnessKey: 'destination',
    subject: 'inbound_events',
    refEnd: 'destination',
    removedWith: { source: 'subject', destination: 'key', connection: 'key', account: 'key' },
    erasedWith: 'inbound_events',
  },
  /** Posts the payload of a delivery again, for a caller. It outlives its source, as the delivery does. */
  [REPLAY_DELIVERY]: {
    pool: 'posts',
    serialGroup: null,
    fairnessKey: 'destination',
    subject: 'deliveries',
    refEnd: null,
    removedWith: { destination: 'key', connection: 'key', account: 'key' },
    erasedWith: 'deliveries',
  },
  /** Posts a platform event to a webhook. */
  [DELIVER_WEBHOOK]: {
    pool: 'posts',
    serialGroup: null,
    fairnessKey: 'webhook',
    subject: 'webhook_deliveries',
    refEnd: null,
    removedWith: { connection: 'subject', account: 'key' },
    erasedWith: null,
  },
  /** Mails a reply. Without its source or its relay it records, when it is due, that the mail was not sent. */
  [RELAY_REPLY]: {
    pool: 'mails',
    serialGroup: null,
    fairnessKey: 'relay',
    subject: 'relay_mails',
    refEnd: null,
    removedWith: { connection: 'subject', account: 'key' },
    erasedWith: 'inbound_events',
  },
  /** Mails the replies that a relay held back, as one mail. An erasure ends the mails of the replies, not the digest. */
  [RELAY_DIGEST]: {
    pool: 'mails',
    serialGroup: null,
    fairnessKey: 'relay',
    subject: 'relay_mails',
    refEnd: null,
    removedWith: { connection: 'subject', account: 'key' },
    erasedWith: null,
  },
  /** Posts an alert to a chat, or as signed JSON. */
  [SEND_ALERT]: { ...OF_ALERT, pool: 'posts' },
  /** Mails an alert. */
  [MAIL_ALERT]: { ...OF_ALERT, pool: 'mails' },
  /** Reads a list of the CRM. */
  [FETCH_BLOCKLIST]: { ...OF_BLOCKLIST, refEnd: null },
  /** Sends the entries of a list to its sequencer. An earlier run's push may still wait, so the run is in the `ref`. */
  [PUSH_BLOCKLIST]: { ...OF_BLOCKLIST, refEnd: 'run' },
  /** Begins the next round of a list. */
  [TOP_UP_BLOCKLIST]: { ...OF_BLOCKLIST, refEnd: 'run' },
  /** Compares the webhooks at the sequencer with what a source needs, once a day. */
  [CHECK_WIRING]: {
    pool: 'main',
    serialGroup: null,
    fairnessKey: 'connection',
    subject: 'sources',
    refEnd: null,
    removedWith: { source: 'subject', ...BY_CONNECTION },
    erasedWith: null,
  },
  /** Reads the past activity of a source at its sequencer. */
  [BACKFILL_SOURCE]: {
    pool: 'main',
    serialGroup: null,
    fairnessKey: 'connection',
    subject: 'backfill_runs',
    refEnd: null,
    removedWith: { source: 'subject', ...BY_CONNECTION },
    erasedWith: null,
  },
  /** Sends the contacts that events of the account put on a list to its sequencer. */
  [PUSH_SUPPRESSIONS]: { ...OF_BLOCKLIST, refEnd: null },
  /** Removes at the sequencer what has left the CRM list. */
  [REMOVE_ENTRIES]: { ...OF_BLOCKLIST, refEnd: null },
} as const satisfies Readonly<Record<string, JobKindRules>>;

export type JobKind = keyof typeof JOB_KINDS;

const ALL: readonly JobKind[] = Object.keys(JOB_KINDS).filter(isJobKind);

function isJobKind(name: string): name is JobKind {
  return Object.hasOwn(JOB_KINDS, name);
}

/** Returns the rules of a kind. */
export function rulesOf(kind: JobKind): JobKindRules {
  return JOB_KINDS[kind];
}

/** Returns the kinds for which the test is true, in the order of the table. Default: all. */
export function listKinds(test: (rules: JobKindRules) => boolean = () => true): readonly JobKind[] {
  return ALL.filter((kind) => test(rulesOf(kind)));
}

/** Returns the groups of kinds that exclude each other. */
export function listSerialKinds(): readonly (readonly JobKind[])[] {
  const inGroups = listKinds(({ serialGroup }) => serialGroup !== null);
  return [...Map.groupBy(inGroups, (kind) => rulesOf(kind).serialGroup).values()];
}

/** Returns the `ref` of a job. @param end what follows the subject, for a kind whose `refEnd` is not null */
export function composeRef(subjectId: number | string, end?: number): string {
  return end === undefined ? String(subjectId) : `${subjectId}/${end}`;
}

/** Reads a `ref` whose subject has a number. Without an end, `end` is 0. */
export function parseRef({ ref }: { readonly ref: string }): { subjectId: number; end: number } {
  const [subjectId = 0, end = 0] = ref.split('/').map(Number);
  return { subjectId, end };
}

/** Returns SQL for the number that the `ref` of these kinds begins with; null for other kinds. @param jobs the table or its alias */
export function refNumberSql(kinds: readonly JobKind[], jobs: string): string {
  return `case when ${jobs}.kind in (${kindsSql(kinds)}) then split_part(${jobs}.ref, '/', 1)::bigint end`;
}

/** Returns kinds as a list of SQL. */
export function kindsSql(kinds: readonly JobKind[]): string {
  return kinds.map((kind) => `'${kind}'`).join(', ');
}
