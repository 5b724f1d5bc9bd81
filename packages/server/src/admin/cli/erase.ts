import type { Command } from 'commander';
import type { ErasureReport } from '@svc/operations/work/persons';
import { defineVerb } from './define.ts';
import { type AdminOptions, parseId } from './options.ts';
import { type Printed, runAdmin } from './run.ts';
import { renderTable } from './table.ts';

interface EraseOptions extends AdminOptions {
  email?: string;
  profileUrl?: string;
  account?: number;
  yes: boolean;
}

export function defineErase(program: Command): void {
  defineVerb(
    program,
    'erase',
    'erase the data of a person from logs, payloads and queue; without --yes only says what would be erased',
    'erase --email ada@example.com --yes',
  )
    .option('--email <address>', 'the address of the person')
    .option('--profile-url <urls>', 'profile URLs of the same person, up to five with commas')
    .option('--account <id>', 'only the data of this account', parseId)
    .option('--yes', 'confirm the erasure', false)
    .action(async ({ email, profileUrl, account: accountId, yes, ...options }: EraseOptions) => {
      const input = { email, profileUrl, accountId, isConfirmed: yes };
      const report = await runAdmin('persons/erase', input, options, describe);
      // So that a script does not take it for done.
      if (yes && report.waitingRequests + report.failedRows > 0) process.exitCode = 1;
    });
}

/** Where else the data of a person may be; no command here reaches it. */
const OUTSIDE =
  'Not reached from here: the CRM, the sequencer, endpoints that payloads were forwarded to, mailboxes, posts that wait in RabbitMQ, and backups. See docs/erasure.md.';

type Row = ErasureReport['erased'][number];
const FOUND = { TABLE: (row: Row) => row.table, WHAT: (row: Row) => row.what, ROWS: (row: Row) => row.rows };
const KEPT = { ...FOUND, WHY: (row: ErasureReport['kept'][number]) => row.why };
type Failure = ErasureReport['failures'][number];
const FAILED = {
  TABLE: (failure: Failure) => failure.table,
  ROW: (failure: Failure) => failure.row,
  REASON: (failure: Failure) => failure.reason,
};

function describe(report: ErasureReport): Printed {
  const { isErased, erased, kept, deletedJobs, waitingRequests, failedRows, failures, otherIdentities } = report;
  const parts = [erased.length === 0 ? 'Nothing to erase was found.' : isErased ? 'Erased:' : 'Would be erased:'];
  if (erased.length > 0) parts.push(renderTable(erased, FOUND, ''));
  if (deletedJobs > 0) parts.push(`Waiting jobs that were dropped: ${deletedJobs}`);
  if (kept.length > 0) parts.push('', 'Stays:', renderTable(kept, KEPT, ''));
  if (waitingRequests > 0)
    parts.push('', `Received but not processed yet, so not erased: ${waitingRequests}. Run this again in a minute.`);
  if (failedRows > 0) {
    parts.push(
      '',
      `Rows that could not be read or changed, and may still hold the data: ${failedRows}. Repair them, and run this again.`,
    );
    parts.push(renderTable(failures, FAILED, ''));
  }
  if (otherIdentities.length > 0)
    parts.push('', `Their events also name ${otherIdentities.join(', ')}. If that is the same person, erase it too.`);
  parts.push('', OUTSIDE);
  return { text: parts.join('\n'), ...(isErased ? {} : { note: 'Nothing is erased yet: confirm with --yes.' }) };
}
