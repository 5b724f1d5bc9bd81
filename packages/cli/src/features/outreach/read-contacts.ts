import { createHash } from 'node:crypto';
import { type CliError, usageError } from '../../errors/cli-error.ts';
import type { InputPoint } from '../export/checkpoint.ts';
import { type ContactFile, type ContactSource, readContactFile } from './contact-file.ts';

export interface WholeFile {
  readonly records: number;
  readonly sha256: string;
}

/** Hash of the records read so far. */
interface RecordHash {
  add(cells: readonly string[]): void;
  digest(): string;
}

function createRecordHash({ form, header }: ContactFile): RecordHash {
  const hash = createHash('sha256').update(JSON.stringify([form, header]));
  return {
    add: (cells) => void hash.update(JSON.stringify(cells)),
    digest: () => hash.copy().digest('hex'),
  };
}

/**
 * Reads the whole file before the first look-up, to find errors early and to count the rows.
 *
 * @returns null if the source can be read only once
 */
export async function scanContacts(source: ContactSource): Promise<WholeFile | null> {
  if (!source.isRepeatable) return null;
  const file = await readContactFile(source);
  const hash = createRecordHash(file);
  let records = 0;
  for await (const cells of file.records) {
    hash.add(cells);
    records += 1;
  }
  return { records, sha256: hash.digest() };
}

/** Records per page. Pages depend only on the file, so that files compressed page by page have the same bytes each time. */
const PAGE_RECORDS = 50;

export interface ContactPage {
  readonly records: readonly (readonly string[])[];
  /** Number of records up to and including this page. */
  readonly recordsRead: number;
  /** Hash of all records up to and including this page. */
  readonly sha256: string;
}

export interface ReadContactsOptions {
  readonly source: ContactSource;
  readonly file: ContactFile;
  readonly whole: WholeFile | null;
  /** The position to resume from; null for the start. */
  readonly from: InputPoint | null;
}

/**
 * Yields the records of a file in pages. A file without records has one empty page.
 *
 * @throws CliError (exit 2) if the file has changed since the check was started
 */
export async function* readContacts(options: ReadContactsOptions): AsyncGenerator<ContactPage, void, undefined> {
  const { source, file, whole, from } = options;
  if (from !== null && from.wholeSha256 !== null && whole !== null && from.wholeSha256 !== whole.sha256) {
    throw changedError(source.name);
  }
  const hash = createRecordHash(file);
  let recordsRead = 0;
  let records: (readonly string[])[] = [];
  const assertUnchanged = () => {
    if (recordsRead > 0 && recordsRead === from?.records && hash.digest() !== from.sha256)
      throw changedError(source.name);
  };
  for await (const cells of file.records) {
    hash.add(cells);
    recordsRead += 1;
    assertUnchanged();
    if (recordsRead <= (from?.records ?? 0)) continue;
    records.push(cells);
    if (records.length < PAGE_RECORDS) continue;
    yield { records, recordsRead, sha256: hash.digest() };
    records = [];
  }
  const isCut = recordsRead < (from?.records ?? 0);
  if (isCut || (whole !== null && hash.digest() !== whole.sha256)) throw changedError(source.name);
  if (records.length > 0 || recordsRead === 0) yield { records, recordsRead, sha256: hash.digest() };
}

function changedError(name: string): CliError {
  return usageError(`${name} has changed since the check was started`, 'Start over with --restart.');
}
