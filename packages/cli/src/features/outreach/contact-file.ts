/**
 * Reads CSV (RFC 4180, leniently):
 *
 * 1. The encoding is UTF-8, with or without a byte order mark. Other encodings are refused.
 * 2. Cells are separated by `,`, `;`, a tab or `|`, whichever is most frequent in the header.
 * 3. Lines end with CRLF, LF or CR; empty lines are skipped. In quotes, all of these belong to the cell.
 * 4. The first record is the header. Records with fewer cells are filled up; records with more are refused, unless the
 *    surplus cells are empty.
 */
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { usageError } from '../../errors/cli-error.ts';
import { toShellWord } from '../../format/shell-quote.ts';

/** Maximum length of header and records in characters, so that an unclosed quote does not fill the memory. */
const RECORD_MAX_LENGTH = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const BYTE_ORDER_MARK = '\uFEFF';

/** The CSV dialect of a file, for writing in the same way. */
export interface CsvForm {
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
  readonly hasByteOrderMark: boolean;
}

export interface ContactFile {
  readonly form: CsvForm;
  readonly header: readonly string[];
  /** The records, each with as many cells as the header. Throws a CliError that names the line. */
  readonly records: AsyncIterable<readonly string[]>;
}

export interface ContactSource {
  /** For messages. */
  readonly name: string;
  /** Whether it can be read more than once. */
  readonly isRepeatable: boolean;
  read(): Readable;
  /** Stops reading, so that an open pipe does not keep the process running. */
  close(): void;
}

/**
 * Opens a file, or stdin for `-`.
 *
 * @throws CliError (exit 2) if it cannot be read
 */
export async function openContactSource(path: string): Promise<ContactSource> {
  if (path === '-') {
    return { name: 'stdin', isRepeatable: false, read: () => process.stdin, close: () => process.stdin.destroy() };
  }
  const isRepeatable = await isPlainFile(path);
  const streams: Readable[] = [];
  return {
    name: path,
    isRepeatable,
    read() {
      const stream = createReadStream(path);
      streams.push(stream);
      return stream;
    },
    close() {
      for (const stream of streams) stream.destroy();
    },
  };
}

async function isPlainFile(path: string): Promise<boolean> {
  let isFile: boolean;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    await access(path, constants.R_OK);
    isFile = found.isFile();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageError(`Cannot read ${path}: ${REASONS[code] ?? code}`);
  }
  assertCsvExtension(path);
  return isFile;
}

const SPREADSHEETS = ['.xls', '.xlsx', '.xlsm', '.ods', '.numbers'];
const OTHER_FORMATS = ['.json', '.ndjson', '.jsonl', '.parquet', '.zip', '.pdf', '.doc', '.docx'];

/** Refuses files whose extension says that they are not CSV; others are read, whatever their name. */
function assertCsvExtension(path: string): void {
  const extension = extname(path).toLowerCase();
  if (SPREADSHEETS.includes(extension)) {
    throw usageError(`${path} is a spreadsheet, not a CSV file`, 'Save it as CSV: spreadsheets call it "CSV UTF-8".');
  }
  if (extension === '.gz') {
    throw usageError(`${path} is compressed`, `For example: gunzip -c ${toShellWord(path)} | svc outreach check -`);
  }
  if (OTHER_FORMATS.includes(extension)) {
    throw usageError(`${path} is not a CSV file`, 'Save the contacts as CSV with a header, such as contacts.csv.');
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of the path is not a folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** @throws CliError (exit 2) if there is no header or the file is not text */
export async function readContactFile(source: ContactSource): Promise<ContactFile> {
  const pieces = decode(source);
  const head = await readHead(pieces, source.name);
  const hasByteOrderMark = head.startsWith(BYTE_ORDER_MARK);
  const text = hasByteOrderMark ? head.slice(1) : head;
  const firstLine = text.slice(0, findHeaderEnd(text) ?? undefined);
  if (firstLine.trim() === '') throw usageError(`${source.name} is empty`, 'The first line must name the columns.');
  const delimiter = findDelimiter(firstLine);
  const lineEnd = text.startsWith('\r\n', firstLine.length) ? '\r\n' : '\n';

  const records = parseRecords(withHead(text, pieces), delimiter, source.name);
  const first = await records.next();
  if (first.done === true) throw usageError(`${source.name} is empty`, 'The first line must name the columns.');
  const header = first.value.cells;
  return {
    form: { delimiter, lineEnd, hasByteOrderMark },
    header,
    records: fitRecords(records, header.length, source.name),
  };
}

async function* decode(source: ContactSource): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const guard = (decodeNext: () => string): string => {
    try {
      return decodeNext();
    } catch {
      throw usageError(
        `${source.name} is not UTF-8 text`,
        'Save it as CSV in UTF-8: spreadsheets call it "CSV UTF-8".',
      );
    }
  };
  for await (const piece of source.read()) yield guard(() => decoder.decode(piece, { stream: true }));
  yield guard(() => decoder.decode());
}

/** Reads until the end of the header. */
async function readHead(pieces: AsyncGenerator<string, void, undefined>, name: string): Promise<string> {
  let head = '';
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) return head;
    // Skips empty lines before the header.
    head = head === '' || head === BYTE_ORDER_MARK ? head + value.replace(/^(\uFEFF?)[\r\n]+/, '$1') : head + value;
    const end = findHeaderEnd(head);
    // After a CR, one more character is needed, because it may be a LF.
    if (end !== null && (head[end] === '\n' || end + 1 < head.length)) return head;
    if (head.length > RECORD_MAX_LENGTH) {
      throw usageError(`The header of ${name} does not end`, 'A quote may be missing, or this is not a CSV file.');
    }
  }
}

/** Returns the position of the first line break outside of quotes, or null. */
function findHeaderEnd(text: string): number | null {
  let isInQuotes = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isInQuotes = !isInQuotes;
    else if (!isInQuotes && (character === '\n' || character === '\r')) return index;
  }
  return null;
}

function findDelimiter(header: string): string {
  const outside = header.replaceAll(/"[^"]*"/g, '');
  const countOf = (delimiter: string) => outside.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}

async function* withHead(head: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield head;
  yield* rest;
}

interface CsvRecord {
  readonly cells: readonly string[];
  /** The number of its last line. */
  readonly line: number;
}

/** Parses records with `csv-parse`, which is loaded here. */
async function* parseRecords(
  text: AsyncIterable<string>,
  delimiter: string,
  name: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const { parse, CsvError } = await import('csv-parse');
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: RECORD_MAX_LENGTH,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // Quotes in `5" pipe` and `"5" pipe` are text.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // Errors are thrown by the loop below.
  pipeline(Readable.from(text), parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>)
      yield { cells: record, line: info.lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? `, line ${error.lines}` : '';
    throw usageError(`${name}${line}: ${PROBLEMS[error.code] ?? error.message}`, 'Is it a CSV file?');
  }
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a record is longer than a million characters: is a quote missing?',
};

async function* fitRecords(
  records: AsyncIterable<CsvRecord>,
  length: number,
  name: string,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const { cells, line } of records) {
    if (cells.length > length && cells.slice(length).some((cell) => cell !== '')) {
      const counts = `${cells.length} cells, but the header has ${length}`;
      throw usageError(`${name}, line ${line}: ${counts}`, 'A cell that contains the delimiter must be quoted.');
    }
    yield cells.length === length ? cells : Array.from({ length }, (_unused, index) => cells[index] ?? '');
  }
}
