/** One person: what happened with them, and the erasure of their data (docs/erasure.md). */
import type { ContactOutreachResponse } from '@svc/contract/types';
import type { PersonRecord } from '@svc/engine/crm/person-records';
import * as z from 'zod';
import type { ErasureResult } from '../store/erasure.ts';
import type { PersonStory } from '../store/person-story.ts';
import { declare, type InJson, list, noun, one, type Printed, flagged } from './declare.ts';
import { count, id, personal } from './fields.ts';
import { confirmed } from './removal.ts';
import { renderTable } from './table.ts';

export interface ErasureReport extends ErasureResult {
  /** Whether it was erased, or only looked for. */
  isErased: boolean;
  accountId: number | null;
}

const identity = {
  email: personal.meta(flagged('--email <address>', 'the address of the person')).optional(),
  profileUrl: personal
    .meta(flagged('--profile-url <urls>', 'profile URLs of the same person, up to five with commas'))
    .optional(),
};

/** What happened to or because of the person, in one line. */
export interface JourneyStep {
  /** Null for what waits. */
  at: Date | null;
  what: 'received' | 'event' | 'held' | 'written' | 'forwarded' | 'mailed' | 'record' | 'block list';
  /** The id of the row: a request, event, sync, delivery, mail or block list; the record's id in the CRM. */
  id: number | string;
  text: string;
}

export const showPerson = declare({
  name: 'persons/show',
  command: 'person show',
  description: 'show the journey of a person: what was received, written, forwarded and mailed, newest first',
  details:
    'It finds what adapters and mappings understood. What else names the person, such as a payload that no adapter understood, is found by `erase` without `--yes`; `counts` has the same tables and names.',
  example: 'ada@example.com --account 1',
  permission: 'read',
  input: z.strictObject({
    person: personal.meta(flagged('<person>', 'an address, profile URLs, or both, separated by commas')),
    accountId: id
      .meta(flagged('--account <id>', 'the account that the person is looked for in (default: the one that has them)'))
      .optional(),
    limit: count(500).default(50).meta(flagged('--limit <number>', 'maximum number of rows of each list')),
  }),
  result: {
    /** Null when no account has the person. */
    accountId: one<number | null>(),
    outreach: one<ContactOutreachResponse>('found', 'summary', 'outcomes', 'doNotContact'),
    timeline: list<JourneyStep>('at', 'what', 'id', 'text'),
    records: list<PersonRecord>('connectionId', 'crm', 'recordType', 'recordId', 'url'),
    requests: list<PersonStory['requests'][number]>('id', 'sourceId', 'outcome', 'receivedAt'),
    events: list<PersonStory['events'][number]>('id', 'eventType', 'requestId', 'sourceId', 'heldUntil'),
    syncs: list<PersonStory['syncs'][number]>('id', 'status', 'eventType', 'requestId', 'error'),
    deliveries: list<PersonStory['deliveries'][number]>('id', 'status', 'destinationUrl', 'requestId', 'error'),
    mails: list<PersonStory['mails'][number]>('id', 'relayId', 'status', 'error'),
    blocked: list<PersonStory['blocked'][number]>('blocklistId', 'listName', 'value', 'state', 'reason'),
    counts: list<ErasureResult['erased'][number]>('table', 'what', 'rows'),
    otherIdentities: list<string>(),
    /** The lists that have older rows. */
    incomplete: list<PersonStory['incomplete'][number]>(),
  },
  print: describePerson,
});

/** For lists of events: one call finds the records of all people of a page. */
export const findRecords = declare({
  name: 'persons/records',
  command: null,
  description: 'find the records of people in the CRMs of an account, as this service remembers them',
  permission: 'read',
  input: z.strictObject({ accountId: id, people: z.array(z.string('must be text').max(2_000)).max(200) }),
  result: { records: list<PersonRecord>('connectionId', 'person', 'recordType', 'recordId', 'url') },
});

export const erasePersonData = declare({
  name: 'persons/erase',
  command: 'erase',
  description: 'erase the data of a person from logs, payloads and queue; without --yes only says what would be erased',
  details:
    'See [erasure](../../docs/erasure.md). Exits with 1 when received payloads of the person are not processed yet, or jobs about them were running.',
  example: '--email ada@example.com --yes',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    ...identity,
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
    runningJobs: one<number>(),
    otherIdentities: list<string>(),
  },
  isIncomplete: ({ isErased, waitingRequests, runningJobs, failedRows }) =>
    isErased && waitingRequests + runningJobs + failedRows > 0,
  print: describe,
});

export const persons = noun('person', 'people whose data is stored', [showPerson, findRecords, erasePersonData]);

/** Where else the data of a person may be; no command here reaches it. */
const OUTSIDE =
  'Not reached from here: the CRM, the sequencer, endpoints that payloads were forwarded to, mailboxes, posts that wait in RabbitMQ, and backups. See docs/erasure.md.';

interface ShownPerson {
  accountId: number | null;
  outreach: Pick<ContactOutreachResponse, 'doNotContact'>;
  timeline: readonly InJson<JourneyStep>[];
  records: readonly Pick<PersonRecord, 'url'>[];
  counts: readonly ErasureResult['erased'][number][];
  otherIdentities: readonly string[];
  incomplete: readonly string[];
}

function describePerson(shown: ShownPerson): Printed {
  const { accountId, timeline, records, counts, otherIdentities, incomplete } = shown;
  const { doNotContact } = shown.outreach;
  const lines = [
    accountId === null
      ? 'No account has an event of this person.'
      : doNotContact.value
        ? `Account ${accountId}. Must not be contacted: ${doNotContact.reasons.join(', ')}.`
        : `Account ${accountId}. May be contacted.`,
  ];
  if (timeline.length > 0) {
    lines.push(
      '',
      renderTable(timeline, { AT: ({ at }) => at ?? 'waits', WHAT: 'what', ID: 'id', DETAILS: 'text' }, ''),
    );
  }
  const urls = records.flatMap(({ url }) => url ?? []);
  if (urls.length > 0) lines.push('', 'In CRMs:', ...urls);
  if (counts.length > 0) lines.push('', 'Stored of them:', renderTable(counts, FOUND, ''));
  if (otherIdentities.length > 0) lines.push('', `Their events also name ${otherIdentities.join(', ')}.`);
  return {
    text: lines.join('\n'),
    ...(incomplete.length === 0
      ? {}
      : { note: `Older ones are left out of ${incomplete.join(', ')}: add --limit N, up to 500.` }),
  };
}

const FOUND = { TABLE: 'table', WHAT: 'what', ROWS: 'rows' } as const;

function describe(report: ErasureReport): Printed {
  const { isErased, erased, kept, deletedJobs, runningJobs, waitingRequests, failedRows, failures, otherIdentities } =
    report;
  const parts = [erased.length === 0 ? 'Nothing to erase was found.' : isErased ? 'Erased:' : 'Would be erased:'];
  if (erased.length > 0) parts.push(renderTable(erased, FOUND, ''));
  if (deletedJobs > 0) parts.push(`Waiting jobs that were dropped: ${deletedJobs}`);
  if (kept.length > 0) parts.push('', 'Stays:', renderTable(kept, { ...FOUND, WHY: 'why' }, ''));
  if (waitingRequests > 0)
    parts.push('', `Received but not processed yet, so not erased: ${waitingRequests}. Run this again in a minute.`);
  if (runningJobs > 0)
    parts.push('', `Jobs that were running, and may still write the data: ${runningJobs}. Run this again in a minute.`);
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
