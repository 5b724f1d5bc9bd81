/**
 * How JSON that this service stored is read: in one place, whichever release stored it. Rows outlive releases, so every form that
 * a release ever stored is read here for ever. `fixtures/stored-rows` has rows of earlier releases; a test reads all of them.
 *
 * To add a field to stored events, add it to `InboundEvent`; then this file does not compile until the field is in
 * `newestForm`. Give it a default there, such as `text.default(null)`: no event that is stored now has it.
 *
 * To change the meaning or the type of a field, give it a new name. During a rolling update the release before reads what this
 * one stores: it ignores fields that it does not know, and must understand those that it does.
 */
import type { CrmError } from '@svc/crm';
import type { LastValueState } from '@svc/domain/policy/last-values';
import type { InboundEvent } from '@svc/sequencers';
import * as z from 'zod';

/** The number of `newestForm`. Events of the releases until 26 November 2026 have none: they are of form 1. */
const NEWEST_FORM = 2;

/** A schema with every field, optional ones too: a field without a schema would be dropped when it is read. */
type SchemaOf<Stored> = z.ZodType<Stored> & { shape: Record<keyof Stored, z.ZodType> };

const text = z.string().nullable();

const contact = z.object({
  email: text,
  profileUrl: text,
  firstName: text,
  lastName: text,
  companyName: text,
  companyDomain: text,
  jobTitle: text,
  phone: text,
  custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  tags: z.array(z.string()).default([]),
  leadId: text.default(null),
  leadUrl: text.default(null),
}) satisfies SchemaOf<InboundEvent['contact']>;

const campaign = z.object({ id: text, name: text }) satisfies SchemaOf<InboundEvent['campaign']>;

const replySender = z.object({ email: z.string(), name: text }) satisfies SchemaOf<
  NonNullable<InboundEvent['replySender']>
>;

const category = z.object({ id: text, name: z.string() }) satisfies SchemaOf<NonNullable<InboundEvent['category']>>;

const newestForm = z.object({
  eventKey: z.string(),
  eventType: z.string(),
  toEmail: z.string(),
  occurredAt: z.iso
    .datetime()
    .transform((iso) => new Date(iso))
    .nullable(),
  contact,
  fromEmail: text,
  replySender: replySender.nullable().default(null),
  campaign,
  subject: text,
  bodyHtml: text,
  bodyText: text,
  messageId: text,
  answeredMessageId: text,
  category: category.nullable(),
  linkUrls: z.array(z.string()),
  sequenceNumber: z.number().nullable(),
}) satisfies SchemaOf<InboundEvent>;

/** Events that the first release stored lack the id of the answered mail. */
const firstForm = newestForm.extend({ answeredMessageId: text.default(null) });

/** Returns the JSON of an event to store. */
export function toStoredEvent(event: InboundEvent): object {
  return { form: NEWEST_FORM, ...event };
}

/**
 * Reads the stored JSON of an event. Returns null when its content was deleted with the logs (`old-inbound-events.ts`).
 *
 * @throws StoredJsonError
 */
export function readStoredEvent(stored: object): InboundEvent | null {
  if (Object.keys(stored).length === 0) return null;
  // A later release may store a higher number: what this one knows of the event still has its meaning.
  const isFirst = !('form' in stored);
  return read('event', isFirst ? firstForm : newestForm, stored);
}

/** What became of the receipts of a run. Each receipt that was looked at is in exactly one of the first six. */
export type RunCounts = z.infer<typeof runCounts>;

const count = z.number().default(0);
const runCounts = z.object({
  /** Receipts with events that were not known. In a dry run: that would be new. */
  understood: count,
  /** Receipts whose events were all known. */
  known: count,
  /** Receipts that are read differently now than when their events were stored; they add nothing. */
  changed: count,
  /** Receipts that are not understood, or contain nothing to write. */
  unparsed: count,
  ignored: count,
  /** Receipts whose payload is no longer stored. */
  withoutBody: count,
  /** Receipts with another outcome than those to read, repeats of others, and those that are not processed yet. */
  skipped: count,
  newEvents: count,
  /** Events that were known and not written, because of a write policy, and are tried now. */
  triedNow: count,
  forwardings: count,
  /** Mails of reply relays. Each is judged when it is due. */
  relayMails: count,
});

/** Reads the counts of a run. Those that its release did not count are 0. */
export function readRunCounts(stored: object): RunCounts {
  return read('counts of a receipt run', runCounts, stored);
}

const typeCounts = z.object({ new: count, known: count });
const backfillCounts = z.object({
  /** Entries of the list. */
  entries: count,
  newEvents: count,
  /** Events that were received before. */
  known: count,
  /** Entries without an event. */
  unparsed: count,
  ignored: count,
  forwardings: count,
  /** Why entries are unparsed; a few different ones. */
  reasons: z.array(z.string()).default([]),
  /** Events by the month in which they happened, such as 2026-11, and by type. */
  months: z.record(z.string(), z.record(z.string(), typeCounts)).default({}),
});

/** What became of the entries of a backfill. In a dry run, new is what would be new. */
export type BackfillCounts = z.infer<typeof backfillCounts>;

/** Reads the counts of a backfill. */
export function readBackfillCounts(stored: object): BackfillCounts {
  return read('counts of a backfill', backfillCounts, stored);
}

const crmError = z.looseObject({
  code: z.string().default('unknown'),
  message: z.string().default('The CRM did not work.'),
  httpStatus: z.number().nullable().default(null),
}) satisfies z.ZodType<CrmError>;

/** Reads the error of an outage. */
export function readCrmError(stored: object): CrmError {
  return read('error of a CRM', crmError, stored);
}

const lastValueState = z.object({
  counts: z.record(z.string(), z.number()).default({}),
  registers: z.record(z.string(), z.tuple([z.number(), z.string(), z.union([z.string(), z.number()])])).default({}),
}) satisfies z.ZodType<LastValueState>;

/** Reads what is known of a person's last values, with names that only a later release knows. */
export function readLastValueState(stored: object): LastValueState {
  return read('last values of a person', lastValueState, stored);
}

/** Stored JSON is in no form that a release stored. The message names the place and no content. */
export class StoredJsonError extends Error {
  override readonly name = 'StoredJsonError';
}

function read<Schema extends z.ZodType>(what: string, schema: Schema, stored: object): z.infer<Schema> {
  const result = schema.safeParse(stored);
  if (result.success) return result.data;
  const places = result.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new StoredJsonError(`The stored ${what} is in no form that this release knows; look at: ${places}.`);
}
