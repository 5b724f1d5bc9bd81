/** What must hold after a chaos run outside of the service: CRMs, destinations, mails, block lists and the webhook. */
import type { ChaosCluster } from './cluster.ts';
import type { Outside } from './outside.ts';
import { some } from './problems.ts';
import { connectionOfSource, CRMS } from './world.ts';

/** An attempt without an answer makes the next one unconfirmed; after a second no more is sent (decision 40). */
const MAIL_COPIES_MAX = 2;
/** The key of an event, which is the subject of what is written for it. */
const KEY = /seed-\d+-event-\d+/;
const NONE: ReadonlyMap<string, number> = new Map();

/**
 * Each CRM has one contact for each lead, and one engagement for each event. Where the CRM has nothing unique (contacts of Salesforce,
 * everything of Pipedrive), an event may be there once more for each time that its job was taken from a worker.
 */
export async function findWrongCrmRecords({ events, outside, db }: ChaosCluster): Promise<string[]> {
  const { rows: taken } = await db.query<{ key: string; email: string; source: number }>(
    `select convert_from(r.body, 'UTF8')::jsonb->>'stats_id' as key, e.to_email as email, e.source_id as source
      from chaos_takeovers t join inbound_events e on e.id = t.event_id join requests r on r.id = e.request_id`,
  );
  const { hubspot, salesforce, pipedrive } = outside;
  const people = {
    HUBSPOT: hubspot.state().contacts.map(({ properties }) => properties['email']),
    SALESFORCE: [...salesforce.records('Contact'), ...salesforce.records('Lead')].map(({ values }) => values['Email']),
    PIPEDRIVE: pipedrive.state().persons.map(({ emails }) => emails[0]?.value),
  };
  return CRMS.flatMap((crm, index) => {
    const isOwn = ({ source }: { source: number }) => connectionOfSource(source) === index + 1;
    const own = events.filter(isOwn);
    const ownTaken = taken.filter(isOwn);
    const keys = engagementKeys(outside, crm);
    return [
      ...differences(`contacts of ${crm}`, {
        wanted: new Set(own.map(({ email }) => email)),
        found: people[crm].map(String),
        repeatable: crm === 'HUBSPOT' ? NONE : countEach(ownTaken.map(({ email }) => email)),
      }),
      ...differences(`engagements of ${crm}`, {
        wanted: new Set(own.map(({ key }) => key)),
        found: keys,
        repeatable: crm === 'PIPEDRIVE' ? countEach(ownTaken.map(({ key }) => key)) : NONE,
      }),
    ];
  });
}

/** Returns the keys of the events of all engagements of a CRM, in the order in which they were made. */
function engagementKeys({ hubspot, salesforce, pipedrive }: Outside, crm: (typeof CRMS)[number]): string[] {
  const { activities, notes } = pipedrive.state();
  const engagements = {
    HUBSPOT: hubspot.state().engagements,
    SALESFORCE: salesforce.records('Task'),
    PIPEDRIVE: [...activities, ...notes],
  };
  return engagements[crm].map((record) => KEY.exec(JSON.stringify(record))?.[0] ?? 'unknown');
}

/** Returns the keys of the events that have an error row. */
export async function findRefused(db: ChaosCluster['db']): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ key: string }>(
    `select convert_from(r.body, 'UTF8')::jsonb->>'stats_id' as key
      from syncs s join requests r on r.id = s.payload_id where s.status = 'error'`,
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Finds events of one contact that came to the CRM in the wrong order: an event that was acknowledged before another was posted must come
 * first. It need not when it has an error row: then it is tried for a day, and nothing waits for it. The other exceptions of ARCHITECTURE.md
 * do not occur in these runs.
 */
export async function findWrongOrder({ db, events, outside }: ChaosCluster): Promise<string[]> {
  const exempt = await findRefused(db);
  return CRMS.flatMap((crm, index) => {
    const places = new Map<string, number>();
    for (const [place, key] of engagementKeys(outside, crm).entries()) if (!places.has(key)) places.set(key, place);
    const own = events.filter(({ source, key }) => connectionOfSource(source) === index + 1 && places.has(key));
    const inverted = [...Map.groupBy(own, ({ email }) => email).values()].flatMap((ofContact) =>
      ofContact.flatMap((earlier) =>
        ofContact.flatMap((later) => {
          const isBefore = earlier.acknowledgedAtMs < later.postedAtMs && !exempt.has(earlier.key);
          const isWrong = isBefore && (places.get(earlier.key) ?? 0) > (places.get(later.key) ?? 0);
          return isWrong ? [{ earlier: earlier.key, later: later.key }] : [];
        }),
      ),
    );
    return some(`pairs of events of a contact came to ${crm} in the wrong order`, inverted);
  });
}

/** Says which wanted values are missing, and which are there more than once or unwanted. */
function differences(
  what: string,
  {
    wanted,
    found,
    repeatable,
  }: {
    wanted: ReadonlySet<string>;
    found: readonly string[];
    /** How many more there may be. */
    repeatable: ReadonlyMap<string, number>;
  },
): string[] {
  const counts = countEach(found);
  const isTooMuch = ([value, count]: [string, number]) =>
    count > 1 + (repeatable.get(value) ?? 0) || !wanted.has(value);
  return [
    ...some(
      `${what} are missing`,
      [...wanted].filter((value) => !counts.has(value)),
    ),
    ...some(`${what} are there more than once, or should not be`, [...counts].filter(isTooMuch)),
  ];
}

function countEach(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Each event reached each destination that is bound to it; what is recorded as delivered was received. */
export async function findWrongDeliveries({ db, outside }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ key: string; payload: number; destination: number; delivered: number }>(
    `select convert_from(r.body, 'UTF8')::jsonb->>'stats_id' as key, r.id as payload, b.destination_id as destination,
        coalesce(d.count, 0) as delivered
      from inbound_events e join requests r on r.id = e.request_id
        join destination_bindings b on b.source_id = e.source_id
        left join (select payload_id, destination_id, count(*)::int as count from deliveries where status = 'success' group by 1, 2) d
          on d.payload_id = e.request_id and d.destination_id = b.destination_id
      where e.event_type = any(b.event_types)`,
  );
  const isReceived = (row: (typeof rows)[number]) => outside.received.has(`/${row.destination} ${row.payload}`);
  return [
    ...some(
      'forwardings without exactly one success, or that no destination received',
      rows.filter((row) => row.delivered !== 1 || !isReceived(row)),
    ),
    ...(rows.length === 0 ? ['nothing was forwarded'] : []),
  ];
}

/** Each reply was mailed, with one message id, and at most as often as documented. */
export async function findWrongMails({ db, outside }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{
    key: string;
    status: string | null;
    messageId: string;
    unconfirmed: number;
    error: string | null;
  }>(
    `select convert_from(r.body, 'UTF8')::jsonb->>'stats_id' as key, m.status, m.message_id as "messageId",
        m.unconfirmed_count as unconfirmed, m.error
      from inbound_events e join requests r on r.id = e.request_id join reply_relay_bindings b on b.source_id = e.source_id
        left join relay_mails m on m.event_id = e.id and m.relay_id = b.reply_relay_id
      where e.event_type = 'EMAIL_REPLY'`,
  );
  const copiesOf = (messageId: string) => outside.copies.get(messageId) ?? 0;
  const isRight = ({ status, messageId, unconfirmed }: (typeof rows)[number]) => {
    const copies = copiesOf(messageId);
    if (copies > MAIL_COPIES_MAX || copies > unconfirmed + 1) return false;
    // One that was given up after two attempts without an answer may have arrived or not.
    return status === 'sent' ? copies >= 1 : status === 'failed' && unconfirmed >= MAIL_COPIES_MAX;
  };
  const wrong = rows.filter((mail) => !isRight(mail));
  return [
    ...some(
      'relay mails are missing or have a wrong number of copies',
      wrong.map((mail) => ({ ...mail, copies: copiesOf(mail.messageId) })),
    ),
    ...(new Set(rows.map(({ messageId }) => messageId)).size === rows.length ? [] : ['relay mails share a message id']),
    ...(rows.length === 0 ? ['nothing was relayed'] : []),
  ];
}

/** The block lists at the sequencer are the lists of the CRM. */
export async function findWrongBlocklists({ db, outside }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ id: number; platform: 'smartlead' | 'instantly'; status: string; error: string }>(
    'select id, platform, status, last_error as error from blocklists',
  );
  const wanted = JSON.stringify([...outside.members].sort());
  const wrong = rows.flatMap(({ id, platform, status, error }) => {
    const entries = outside.sequencer.entries({ platform, token: 'demo-sequencer-token' });
    const isRight = JSON.stringify(entries) === wanted && status === 'SYNCED' && error === null;
    return isRight ? [] : [`block list ${id} has ${entries.length} entries and is ${status} (${error})`];
  });
  return rows.length === 0 ? ['there are no block lists'] : wrong;
}

/** Each platform event was delivered to the webhook. */
export async function findWrongWebhooks({ db, outside }: ChaosCluster): Promise<string[]> {
  const { rows } = await db.query<{ event: string; ids: string[]; statuses: string[] }>(
    `select e.id as event, coalesce(array_agg(d.id) filter (where d.id is not null), '{}') as ids,
        coalesce(array_agg(d.status) filter (where d.id is not null), '{}') as statuses
      from events e left join webhook_deliveries d on d.event_id = e.id group by e.id`,
  );
  const isRight = ({ ids, statuses }: (typeof rows)[number]) =>
    statuses.join() === 'SUCCEEDED' && outside.received.has(`/webhook ${ids[0]}`);
  return [
    ...some(
      'platform events without exactly one delivery that arrived',
      rows.filter((row) => !isRight(row)),
    ),
    ...(rows.length === 0 ? ['there were no platform events'] : []),
  ];
}
