import { createHash } from 'node:crypto';
import { type CliError, usageError } from '../../errors/cli-error.ts';
import type { InputPoint } from '../export/checkpoint.ts';
import { type ContactFile, type ContactSource, readContactFile } from './contact-file.ts';

/** A file as a whole. */
export interface WholeFile {
  readonly records: number;
  readonly sha256: string;
}

/** Of what was read, independent of how the file is cut into pieces on its way. */
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
 * Reads it all once before anybody is asked: what is wrong with it shows at once, and not behind an hour of look-ups; and the number
 * of its rows is known.
 *
 * @returns null of a source that can be read only once
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

/** Records that are written together. The bounds depend on the file alone: what is packed page by page comes out the same each time. */
const PAGE_RECORDS = 50;

export interface ContactPage {
  readonly records: readonly (readonly string[])[];
  /** How many are read behind this page. */
  readonly recordsRead: number;
  /** Of all that is read behind this page. */
  readonly sha256: string;
}

export interface ReadContactsOptions {
  readonly source: ContactSource;
  readonly file: ContactFile;
  readonly whole: WholeFile | null;
  /** Behind which record to begin; null for the first. */
  readonly from: InputPoint | null;
}

/**
 * The records of a file. One without records has a page all the same, with nothing in it.
 *
 * @throws CliError (usage) when it is not, or no longer, the file that was begun with
 */
export async function* readContacts(options: ReadContactsOptions): AsyncGenerator<ContactPage, void, undefined> {
  const { source, file, whole, from } = options;
  if (from !== null && from.wholeSha256 !== null && whole !== null && from.wholeSha256 !== whole.sha256) {
    throw changedError(source.name);
  }
  const hash = createRecordHash(file);
  let recordsRead = 0;
  let records: (readonly string[])[] = [];
  const assertBegun = () => {
    if (recordsRead > 0 && recordsRead === from?.records && hash.digest() !== from.sha256)
      throw changedError(source.name);
  };
  for await (const cells of file.records) {
    hash.add(cells);
    recordsRead += 1;
    assertBegun();
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
  return usageError(`${name} has changed since the check of it was begun`, 'Start anew with --restart.');
}
