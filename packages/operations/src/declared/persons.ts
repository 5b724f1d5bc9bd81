/** Erases the data of a person who asks for it (docs/erasure.md). */
import * as z from 'zod';
import type { ErasureResult } from '../store/erasure.ts';
import { declare, list, noun, one, type Printed, flagged } from './declare.ts';
import { id, personal } from './fields.ts';
import { confirmed } from './removal.ts';
import { renderTable } from './table.ts';

export interface ErasureReport extends ErasureResult {
  /** Whether it was erased, or only looked for. */
  isErased: boolean;
  accountId: number | null;
}

export const erasePersonData = declare({
  name: 'persons/erase',
  command: 'erase',
  description: 'erase the data of a person from logs, payloads and queue; without --yes only says what would be erased',
  details:
    'See [erasure](../../docs/erasure.md). Exits with 1 when received payloads of the person are not processed yet.',
  example: '--email ada@example.com --yes',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    email: personal.meta(flagged('--email <address>', 'the address of the person')).optional(),
    profileUrl: personal
      .meta(flagged('--profile-url <urls>', 'profile URLs of the same person, up to five with commas'))
      .optional(),
    accountId: id.meta(flagged('--account <id>', 'only the data of this account')).optional(),
    isConfirmed: confirmed('confirm the erasure'),
  }),
  result: {
    isErased: one<boolean>(),
    accountId: one<number | null>(),
    erased: list<ErasureResult['erased'][number]>('table', 'what', 'rows'),
    kept: list<ErasureResult['kept'][number]>(),
    waitingRequests: one<number>(),
    failedRows: one<number>(),
    failures: list<ErasureResult['failures'][number]>(),
    deletedJobs: one<number>(),
    otherIdentities: list<string>(),
  },
  isIncomplete: ({ isErased, waitingRequests, failedRows }) => isErased && waitingRequests + failedRows > 0,
  print: describe,
});

export const persons = noun('persons', 'people whose data is stored', [erasePersonData]);

/** Where else the data of a person may be; no command here reaches it. */
const OUTSIDE =
  'Not reached from here: the CRM, the sequencer, endpoints that payloads were forwarded to, mailboxes, posts that wait in RabbitMQ, and backups. See docs/erasure.md.';

const FOUND = { TABLE: 'table', WHAT: 'what', ROWS: 'rows' } as const;

function describe(report: ErasureReport): Printed {
  const { isErased, erased, kept, deletedJobs, waitingRequests, failedRows, failures, otherIdentities } = report;
  const parts = [erased.length === 0 ? 'Nothing to erase was found.' : isErased ? 'Erased:' : 'Would be erased:'];
  if (erased.length > 0) parts.push(renderTable(erased, FOUND, ''));
  if (deletedJobs > 0) parts.push(`Waiting jobs that were dropped: ${deletedJobs}`);
  if (kept.length > 0) parts.push('', 'Stays:', renderTable(kept, { ...FOUND, WHY: 'why' }, ''));
  if (waitingRequests > 0)
    parts.push('', `Received but not processed yet, so not erased: ${waitingRequests}. Run this again in a minute.`);
  if (failedRows > 0) {
    parts.push(
      '',
      `Rows that could not be read or changed, and may still hold the data: ${failedRows}. Repair them, and run this again.`,
    );
    parts.push(renderTable(failures, { TABLE: 'table', ROW: 'row', REASON: 'reason' }, ''));
  }
  if (otherIdentities.length > 0)
    parts.push('', `Their events also name ${otherIdentities.join(', ')}. If that is the same person, erase it too.`);
  parts.push('', OUTSIDE);
  return { text: parts.join('\n'), ...(isErased ? {} : { note: 'Nothing is erased yet: confirm with --yes.' }) };
}
