/**
 * The schema of today, whole: `tables/` has each table with its indexes, `functions/` each function with its triggers.
 *
 * A new database is made from these files alone. An upgraded one gets from them the tables that it lacks and, at last, all functions and triggers;
 * its migrations say only how its older tables change. `same-schema.test.ts` proves that both ways lead to the same schema.
 *
 * - A change of a table edits its file here and adds a migration. New columns stand last, as `alter table` adds them. When an earlier migration creates
 *   the table from here (`createTables`), the new one says `if not exists`: the table may be of today already.
 * - A change of a function or trigger edits its file here and renumbers `installFunctions` (`migrations/install-functions.ts`).
 */
import { addUpDays, addUpDaysTriggers } from './functions/add-up-days.ts';
import { forgetHours } from './functions/forget-hours.ts';
import { jobsClaim } from './functions/jobs-claim.ts';
import { jobsClaimWithoutWorker } from './functions/jobs-claim-without-worker.ts';
import { jobsLockKey } from './functions/jobs-lock-key.ts';
import { jobsLockOwner } from './functions/jobs-lock-owner.ts';
import { jobsLockSerial } from './functions/jobs-lock-serial.ts';
import { noteHours, noteHoursTriggers } from './functions/note-changed-hours.ts';
import { syncsNoteFirst, syncsNoteFirstTrigger } from './functions/syncs-note-first.ts';
import { accountTables } from './tables/accounts.ts';
import { alertTables } from './tables/alerts.ts';
import { blocklistTables } from './tables/blocklists.ts';
import { countTables } from './tables/counts.ts';
import { crmTables } from './tables/crm.ts';
import { heldEventTables } from './tables/held-events.ts';
import { installationTables } from './tables/installation.ts';
import { lastValueTables } from './tables/last-values.ts';
import { logTables } from './tables/logs.ts';
import { queueTables } from './tables/queue.ts';
import { relayTables } from './tables/relays.ts';
import { sourceTables } from './tables/sources.ts';
import { userTables } from './tables/users.ts';
import { webhookTables } from './tables/webhooks.ts';

/** In an order in which each can refer to those before it. */
const tables = {
  ...accountTables,
  ...sourceTables,
  ...logTables,
  ...heldEventTables,
  ...lastValueTables,
  ...webhookTables,
  ...relayTables,
  ...blocklistTables,
  ...crmTables,
  ...queueTables,
  ...countTables,
  ...installationTables,
  ...userTables,
  ...alertTables,
};

/** The tables that are partitioned by the month of `created_at`; `migrations/to-partitioned.ts` makes them so. */
export const LOG_TABLES = ['requests', 'syncs', 'deliveries', 'events', 'webhook_deliveries'] as const;
export type LogTable = (typeof LOG_TABLES)[number];

/** Returns SQL that creates tables as they are today; all without arguments. */
export function createTables(...names: (keyof typeof tables)[]): string {
  return (names.length > 0 ? names.map((name) => tables[name]) : Object.values(tables)).join('\n');
}

/** SQL that creates or replaces all functions. It locks no table. */
const functions = [
  ...[jobsLockSerial, jobsLockKey, jobsLockOwner, jobsClaim, jobsClaimWithoutWorker],
  ...[...noteHours, forgetHours, addUpDays, syncsNoteFirst],
].join('');

/** SQL that brings all functions and triggers to their text of this release. Each locks one table for a moment, the first none. */
export const functionsAndTriggers: readonly string[] = [
  functions,
  ...noteHoursTriggers,
  syncsNoteFirstTrigger,
  addUpDaysTriggers,
];
