/**
 * Periodic maintenance: deletes old rate windows, old marks of written events, payloads and logs older than the operator
 * keeps them, makes the months of the logs ahead, counts the rows of closed hours, and vacuums the embedded database. That
 * has no autovacuum, so its tables would grow, and its planner would have no statistics. It has no
 * checkpointer either, so its write-ahead log would grow until the server stops.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { type Repeated, repeat } from '../runtime/repeat.ts';
import { deleteOldAlerts } from './alert-incidents.ts';
import { countClosedHours } from './count-hours.ts';
import { deleteOldCrmMarks } from './crm-records.ts';
import { earlierTime } from './database/database-clock.ts';
import type { Database } from './database/db.ts';
import { checkpoint } from './database/embedded-copy.ts';
import { maintainLogMonths, monthOf } from './log-months.ts';
import { emptyOldEvents } from './old-inbound-events.ts';
import { dropOldPayloads } from './payload-retention.ts';
import { deleteOldRelayHours } from './relay-digests.ts';
import { deleteOldRelayMails } from './relay-mails.ts';
import { deleteOldConsents } from './oauth-consents.ts';
import { deleteOldWindows } from './rate-windows.ts';
import { deleteOldRefusals } from './source-secrets.ts';

/** Tables with frequent updates or deletes, and those whose size the planner needs. */
const TABLES = [
  'jobs',
  'job_owners',
  'requests',
  'inbound_events',
  'syncs',
  'deliveries',
  'events',
  'webhook_deliveries',
  'blocklist_entries',
  'suppressions',
  'blocklist_removals',
  'crm_records',
  'relay_mails',
  'held_events',
  'last_values',
  'alert_incidents',
  'alert_messages',
  'hour_counts',
  'day_counts',
  'hour_count_state',
  'changed_hours',
];
const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 10 * 60_000;
const WINDOWS_KEPT_MS = 60 * 60_000;
const CONSENTS_KEPT_MS = 60 * 60_000;
/** Far longer than an event is tried. */
const CRM_MARKS_KEPT_MS = 30 * 24 * 60 * 60_000;
/** Far longer than clocks differ. */
const RELAY_HOURS_KEPT_MS = 24 * 60 * 60_000;
/** Incidents that have ended, and tests of channels. */
const ALERTS_KEPT_MS = 30 * 24 * 60 * 60_000;
/** Counts of refused posts. */
const REFUSALS_KEPT_MS = 90 * 24 * 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;

export interface MaintenanceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long received payloads are kept. Default: forever. */
  readonly payloadDays?: number | undefined;
  /** How long logs are kept, in whole months: the month of the last day that counts is the oldest. Default: forever. */
  readonly logDays?: number | undefined;
  /** What the layers above do at the same times. Default: nothing. */
  readonly alsoDo?: () => Promise<unknown>;
}

export function startMaintenance(deps: MaintenanceDeps): Repeated {
  return repeat(deps.clock, { firstMs: FIRST_AFTER_MS, everyMs: EVERY_MS }, (mayGoOn) =>
    runMaintenance(deps, mayGoOn).catch((error: unknown) => deps.log.warn({ err: error }, 'maintenance failed')),
  );
}

async function runMaintenance(
  { db, clock, log, payloadDays, logDays, alsoDo }: MaintenanceDeps,
  mayGoOn: () => boolean,
): Promise<void> {
  const before = (ms: number, now = clock.now()) => new Date(now.getTime() - ms);
  await deleteOldWindows(db, before(WINDOWS_KEPT_MS));
  await deleteOldConsents(db, before(CONSENTS_KEPT_MS));
  await deleteOldCrmMarks(db, before(CRM_MARKS_KEPT_MS));
  await deleteOldRefusals(db, before(REFUSALS_KEPT_MS));
  await deleteOldRelayHours(db, before(RELAY_HOURS_KEPT_MS));
  await deleteOldAlerts(db, before(ALERTS_KEPT_MS));
  await alsoDo?.();
  // Not by a clock that is ahead: what is deleted for its age does not come back.
  const deletedBy = payloadDays === undefined && logDays === undefined ? clock.now() : await earlierTime(db, clock);
  if (payloadDays !== undefined) {
    await deleteOldRelayMails(db, before(payloadDays * DAY_MS, deletedBy));
    const dropped = await dropOldPayloads(db, before(payloadDays * DAY_MS, deletedBy));
    if (dropped > 0) log.info({ dropped, payloadDays }, 'received payloads were dropped for their age');
  }
  const keptFrom = logDays === undefined ? null : before(logDays * DAY_MS, deletedBy);
  if (keptFrom !== null) {
    await deleteOldRelayMails(db, keptFrom);
    // With the months of their logs: a sync that is shown can be retried.
    const emptied = await emptyOldEvents(db, monthOf(keptFrom));
    if (emptied > 0) log.info({ emptied, logDays }, 'the content of received events was deleted for its age');
  }
  await maintainLogMonths({ db, log }, clock.now(), keptFrom);
  await countClosedHours(db, clock.now(), mayGoOn);
  if (db.backend !== 'pglite') return;
  await vacuum(db);
  await checkpoint(db);
}

/** Vacuums table by table, so that requests can use the one connection in between. */
async function vacuum(db: Database): Promise<void> {
  for (const table of TABLES) await db.query(`vacuum (analyze) ${table}`);
}
