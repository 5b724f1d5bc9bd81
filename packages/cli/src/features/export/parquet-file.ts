import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { asyncBufferFromFile, parquetMetadataAsync, type SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { removeOnExit } from '../../terminal/interrupts.ts';
import { guardWrite } from '../../errors/write-error.ts';
import { readField } from '../../format/fields.ts';
import { findTarget } from './file-target.ts';
import { type PartState, parquetPath, partialPath } from './checkpoint.ts';
import { findLength, lostError } from './part-file.ts';

/** Rows per row group, which is kept in memory. */
const GROUP_ROWS = 10_000;

export interface ParquetInput {
  readonly path: string;
  /** The partial file, which contains NDJSON. */
  readonly part: PartState;
  readonly columns: readonly string[];
  /** The command, such as `syncs export`, which determines the column types. */
  readonly command: string;
}

/**
 * Converts the partial NDJSON file to the final Parquet file. After an interruption it starts again, which needs no
 * requests and gives the same bytes.
 */
export async function publishParquet({ path, part, columns, command }: ParquetInput): Promise<void> {
  const target = await guardWrite(path, () => findTarget(path));
  const partial = partialPath(target.path);
  const length = await findLength(partial);
  // The file was already published; only the checkpoint remains.
  if (length === null && (await countRows(target.path)) === part.rows) return;
  if (length !== part.bytes) throw lostError(partial);
  const whole = parquetPath(target.path);
  const forget = removeOnExit(whole);
  await guardWrite(path, async () => {
    try {
      // Never write through a link that somebody may have planted.
      await rm(whole, { force: true });
      await convert(partial, whole, columns, command);
      const file = await open(whole, 'r+');
      if (target.mode !== null) await file.chmod(target.mode);
      await file.sync();
      await file.close();
      await rename(whole, target.path);
    } catch (error) {
      await rm(whole, { force: true });
      throw error;
    } finally {
      forget();
    }
    await rm(partial);
  });
}

/** Returns the row count in the footer; null if there is no Parquet file. */
async function countRows(file: string): Promise<number | null> {
  try {
    const { num_rows: rows } = await parquetMetadataAsync(await asyncBufferFromFile(file));
    return Number(rows);
  } catch {
    return null;
  }
}

async function convert(from: string, to: string, fields: readonly string[], command: string): Promise<void> {
  const columns = fields.map((name) => ({ name, kind: columnKind(command, name) }));
  const writer = new ParquetWriter({ writer: fileWriter(to), schema: schemaOf(columns), createdBy: 'svc' });
  let values = columns.map((): unknown[] => []);
  const flush = async () => {
    const columnData = columns.map(({ name }, index) => ({ name, data: values[index] ?? [] }));
    await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    values = columns.map(() => []);
  };
  const file = await open(from);
  try {
    let rows = 0;
    for await (const line of linesOf(file)) {
      const row: unknown = JSON.parse(line);
      for (const [index, { name, kind }] of columns.entries()) values[index]?.push(toValue(row, name, kind));
      rows += 1;
      if (rows % GROUP_ROWS === 0) await flush();
    }
    if (rows % GROUP_ROWS > 0) await flush();
  } finally {
    await file.close();
  }
  await writer.finish();
}

/** Splits at \n only. Node's line reader also splits at U+2028, which JSON does not escape. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of file.createReadStream({ encoding: 'utf8', autoClose: false })) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  integer: { type: 'INT64' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

function schemaOf(columns: readonly { readonly name: string; readonly kind: ColumnKind }[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...ELEMENTS[kind] })),
  ];
}

/** @throws CliError if the value violates the contract */
function toValue(row: unknown, field: string, kind: ColumnKind): unknown {
  const value = readField(row, field);
  if (value === null || value === undefined) return null;
  if (kind === 'json') return value;
  if (kind === 'text' && typeof value === 'string') return value;
  if (kind === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (kind === 'timestamp' && typeof value === 'string') {
    const date = new Date(value);
    if (!Number.isNaN(date.getTime())) return date;
  }
  throw new CliError('wrong_value', EXIT_CODES.unexpected, `The service sent a value for ${field} that is not ${kind}`);
}

/** The type of a Parquet column. */
export type ColumnKind = 'integer' | 'timestamp' | 'text' | 'json';

const INTEGERS = ['id', 'connectionId', 'sourceId', 'payloadId', 'destinationId', 'httpStatus'];

/** Returns the type of a field. A test compares it with the contract. @param command for example `syncs export` */
export function columnKind(command: string, field: string): ColumnKind {
  if (INTEGERS.includes(field)) return 'integer';
  if (field === 'createdAt') return 'timestamp';
  // Fields inside an error have any type.
  if (field.includes('.') || (field === 'error' && command.startsWith('syncs '))) return 'json';
  return 'text';
}
