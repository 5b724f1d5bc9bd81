import { CrmFailure, RETRY } from '../http/http-failure.ts';
import type { CrmError, CrmRecord, CrmRecords } from '../port/types.ts';
import type { PipedriveClient } from './client.ts';
import { isUncertain } from './errors.ts';
import type { PersonDetails } from './person.ts';

/** What the events of one batch share. */
export interface PipedriveSession {
  client: PipedriveClient;
  records: BatchRecords;
  /** Look-ups that run or have run in this batch, by key, so that parallel events make them once. */
  lookUps: Map<string, Promise<unknown>>;
  /** Persons that were read in this batch. */
  persons: Map<number, PersonDetails>;
  now: () => Date;
}

/** Errors of refused optional parts of one event. */
export type Warnings = CrmError[];

/** Marks what may exist in Pipedrive although its creation was never confirmed. */
const PENDING = 'pending';

/** The remembered records that a batch asked for, kept up to date while it writes. */
export class BatchRecords {
  readonly #records: CrmRecords;
  readonly #known = new Map<string, CrmRecord>();
  readonly #asked = new Set<string>();

  constructor(records: CrmRecords) {
    this.#records = records;
  }

  async load(identities: readonly string[]): Promise<void> {
    const missing = [...new Set(identities)].filter((identity) => !this.#asked.has(identity));
    if (missing.length === 0) return;
    const found = await this.#stored(() => this.#records.read(missing));
    for (const [identity, record] of found) this.#known.set(identity, record);
    for (const identity of missing) this.#asked.add(identity);
  }

  /** Returns a record that Pipedrive has shown or confirmed; null for others. */
  get(identity: string): CrmRecord | null {
    const record = this.#known.get(identity);
    return record === undefined || record.recordId === PENDING ? null : record;
  }

  /** Returns since when a creation is unconfirmed; null when none is. */
  pendingSince(identity: string): Date | null {
    const record = this.#known.get(identity);
    return record?.recordId === PENDING ? record.checkedAt : null;
  }

  async write(records: readonly CrmRecord[]): Promise<void> {
    for (const record of records) this.#known.set(record.identity, record);
    await this.#stored(() => this.#records.write(records));
  }

  /** Returns the owner of a record, or of one whose creation is unconfirmed; null when none is known. */
  ownerOf(identity: string): string | null {
    return this.#known.get(identity)?.ownerId ?? null;
  }

  async markPending(identity: string, recordType: string, since: Date, ownerId: string | null): Promise<void> {
    await this.write([{ ...toRecord(identity, recordType, PENDING, since), ownerId }]);
  }

  async forget(identities: readonly string[]): Promise<void> {
    for (const identity of identities) this.#known.delete(identity);
    await this.#stored(() => this.#records.delete(identities));
  }

  /** Without its records an event might be written twice, so it is tried again later. */
  async #stored<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch {
      const message = "what is known of Pipedrive's records could not be read or stored";
      throw new CrmFailure({ code: 'records_unavailable', message, httpStatus: null }, RETRY);
    }
  }
}

export function toRecord(identity: string, recordType: string, recordId: string, checkedAt: Date): CrmRecord {
  return { identity, recordType, recordId, detailsHash: null, ownerId: null, companyId: null, checkedAt };
}

/**
 * Creates something at most once, although Pipedrive has no unique fields and no idempotency keys: the intention is
 * stored before the call, the id after it. A stored intention without an id means that an earlier call may have written,
 * so the thing is looked for first. Pipedrive's lists show new records at once, its search does not.
 *
 * The intention decides, not whether the event is repeated: most repeated events wait without a call, and a look costs
 * two to four times what the write does.
 *
 * @param options.find looks for what was created since then; null when there is nothing
 * @param options.toRecords what is remembered once the id is known
 * @param options.ownerId remembered with the intention
 */
export async function createOnce<T>(
  { records, now }: PipedriveSession,
  options: {
    identity: string;
    recordType: string;
    find: (since: Date) => Promise<T | null>;
    create: () => Promise<T>;
    toRecords: (created: T) => CrmRecord[];
    ownerId?: string;
  },
): Promise<T> {
  const { identity, recordType, find, create, toRecords, ownerId = null } = options;
  const pendingSince = records.pendingSince(identity);
  const found = await findUnconfirmed(records, identity, find);
  if (found !== null) {
    await records.write(toRecords(found));
    return found;
  }
  await records.markPending(identity, recordType, pendingSince ?? now(), ownerId);
  let created: T;
  try {
    created = await create();
  } catch (error) {
    // Nothing was written, neither now nor before: the look above found nothing.
    if (error instanceof CrmFailure && !isUncertain(error)) await records.forget([identity]);
    throw error;
  }
  await records.write(toRecords(created));
  return created;
}

/** Returns what an unconfirmed creation has made; null when no creation is unconfirmed, or it made nothing. */
export async function findUnconfirmed<T>(
  records: BatchRecords,
  identity: string,
  find: (since: Date) => Promise<T | null>,
): Promise<T | null> {
  const since = records.pendingSince(identity);
  return since === null ? null : find(new Date(since.getTime() - CLOCK_SKEW_MS));
}

/** By how much our clock may be ahead of Pipedrive's. */
export const CLOCK_SKEW_MS = 10 * 60 * 1000;

/** Runs a look-up once per batch. A refusal is kept as well: asking again would cost as much and answer the same. */
export async function once<T>({ lookUps }: PipedriveSession, key: string, load: () => Promise<T>): Promise<T> {
  const running = lookUps.get(key);
  if (running !== undefined) return (await running) as T;
  const loading = load();
  lookUps.set(key, loading);
  try {
    return await loading;
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) lookUps.delete(key);
    throw error;
  }
}

/** Runs an optional part. A refusal becomes a warning; a temporary failure still ends the write. */
export async function tryOptionalPart<T>(warnings: Warnings, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    warnings.push(error.error);
    return null;
  }
}

/** The form of `updated_since`. */
export function toSince(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Returns what was remembered lately under an identity, else null. */
export function fresh({ records, now }: PipedriveSession, identity: string, maxAgeMs: number) {
  const record = records.get(identity);
  return record !== null && now().getTime() - record.checkedAt.getTime() < maxAgeMs ? record : null;
}
