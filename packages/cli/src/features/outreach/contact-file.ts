/**
 * CSV as people have it (RFC 4180, read leniently):
 *
 * 1. UTF-8, with or without a byte order mark. What is not is refused: bytes that were guessed at would come out as others.
 * 2. Cells are parted by `,`, `;`, a tab or `|`: the one that is in the header most often.
 * 3. Lines end with CRLF, LF or CR; empty ones are no records. In quotes, all of these belong to the cell.
 * 4. The first record is the header. A record with fewer cells is filled up; one with more is refused, unless those are empty:
 *    nobody could say which column they belong to.
 */
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { usageError } from '../../errors/cli-error.ts';

/** Longest header and longest record, in characters: a quote that is never closed must not fill the memory. */
const RECORD_MAX_LENGTH = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const BYTE_ORDER_MARK = '\uFEFF';

/** How a file is written, so that another can be written alike. */
export interface CsvForm {
  readonly delimiter: string;
  readonly lineEnd: '\n' | '\r\n';
  readonly hasByteOrderMark: boolean;
}

export interface ContactFile {
  readonly form: CsvForm;
  readonly header: readonly string[];
  /** One after the other, each with as many cells as the header. Fails with a CliError that names the line. */
  readonly records: AsyncIterable<readonly string[]>;
}

export interface ContactSource {
  /** For messages. */
  readonly name: string;
  /** Whether it can be read from its start as often as one likes. */
  readonly isRepeatable: boolean;
  read(): Readable;
  /** Nothing more is wanted of it: a pipe that is still written to must not hold up the end of the process. */
  close(): void;
}

/**
 * `-` is stdin.
 *
 * @throws CliError (usage) that says why it cannot be read
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
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    await access(path, constants.R_OK);
    return found.isFile();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageError(`Cannot read ${path}: ${REASONS[code] ?? code}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of the path is not a folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** @throws CliError (usage) when there is no header, or no text */
export async function readContactFile(source: ContactSource): Promise<ContactFile> {
  const pieces = decode(source);
  const head = await readHead(pieces, source.name);
  const hasByteOrderMark = head.startsWith(BYTE_ORDER_MARK);
  const text = hasByteOrderMark ? head.slice(1) : head;
  const firstLine = text.slice(0, findHeaderEnd(text) ?? undefined);
  if (firstLine.trim() === '') throw usageError(`${source.name} is empty`, 'A header line names the columns.');
  const delimiter = findDelimiter(firstLine);
  const lineEnd = text.startsWith('\r\n', firstLine.length) ? '\r\n' : '\n';

  const records = parseRecords(withHead(text, pieces), delimiter, source.name);
  const first = await records.next();
  if (first.done === true) throw usageError(`${source.name} is empty`, 'A header line names the columns.');
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
        `${source.name} is not a text in UTF-8`,
        'Save it as CSV in UTF-8: spreadsheets call it "CSV UTF-8".',
      );
    }
  };
  for await (const piece of source.read()) yield guard(() => decoder.decode(piece, { stream: true }));
  yield guard(() => decoder.decode());
}

/** As much as holds the header. */
async function readHead(pieces: AsyncGenerator<string, void, undefined>, name: string): Promise<string> {
  let head = '';
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) return head;
    // Lines with nothing in them, in front of it.
    head = head === '' || head === BYTE_ORDER_MARK ? head + value.replace(/^(\uFEFF?)[\r\n]+/, '$1') : head + value;
    const end = findHeaderEnd(head);
    // With what follows a CR: a line feed would belong to it.
    if (end !== null && (head[end] === '\n' || end + 1 < head.length)) return head;
    if (head.length > RECORD_MAX_LENGTH) {
      throw usageError(`The header of ${name} does not end`, 'Is a quote missing in it, or is it no CSV file?');
    }
  }
}

/** Where the first line break outside of quotes stands; null when there is none. */
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
  /** Of its end. */
  readonly line: number;
}

/** Loads the parser, which no other command needs. */
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
    // `5" pipe` and `"5" pipe` are not quoted, and mean what they say.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // What goes wrong on either side is thrown by the loop.
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
      const counts = `${cells.length} cells, and the header has ${length}`;
      throw usageError(`${name}, line ${line}: ${counts}`, 'A cell that holds the delimiter has to be in quotes.');
    }
    yield cells.length === length ? cells : Array.from({ length }, (_unused, index) => cells[index] ?? '');
  }
}
