import { renderTable, type Column } from '../terminal/table.ts';
import { terminalWidth } from '../terminal/stdout.ts';
import { printRecord } from '../format/record.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { exitCodeOfBatch } from './batch-exit-code.ts';
import {
  type ErrorReport,
  ERROR_SUMMARY_FIELDS,
  type ErrorSummary,
  summarizeError,
  toErrorReport,
} from './map-error.ts';

/** What became of one of several items. */
export interface BatchItem<Id, Result> {
  readonly id: Id;
  /** Null if the service refused it. */
  readonly result: Result | null;
  readonly error: ErrorReport | null;
  /** The error that was thrown. */
  readonly cause: unknown;
}

/**
 * Acts on each item once, one after another, and continues after refusals.
 *
 * @throws 401, which concerns all items
 */
export async function runBatch<Id, Result>(
  ids: readonly Id[],
  act: (id: Id) => Promise<Result>,
): Promise<BatchItem<Id, Result>[]> {
  const items: BatchItem<Id, Result>[] = [];
  for (const id of new Set(ids)) {
    try {
      items.push({ id, result: await act(id), error: null, cause: null });
    } catch (cause) {
      const error = toErrorReport(cause);
      if (error.status === 401) throw cause;
      items.push({ id, result: null, error, cause });
    }
  }
  return items;
}

export function exitCodeOfItems(items: readonly Pick<BatchItem<unknown, unknown>, 'error'>[]): ExitCode {
  return exitCodeOfBatch(items.map(({ error }) => error?.exitCode ?? EXIT_CODES.ok));
}

export interface BatchOutput<Id, Result> {
  /** The plural of the items: the name of the list in JSON. */
  readonly name: string;
  /** What became of an item that was not refused, such as `queued`; also the word in the table. */
  readonly done: string;
  /** The fields of an item in JSON besides `id`, `outcome` and `error`. */
  readonly facts: (result: Result | null) => Readonly<Record<string, unknown>>;
  /** Columns between the outcome and the reason. */
  readonly columns?: readonly Column<BatchItem<Id, Result>>[];
  readonly isJson: boolean;
  readonly fields: readonly string[] | null;
}

/** Prints a table of the items, or `{exitCode, NAME: [{id, outcome, ..., error}]}`, and returns the exit code. */
export async function printBatch<Id extends number | string, Result>(
  items: readonly BatchItem<Id, Result>[],
  { name, done, facts, columns = [], isJson, fields }: BatchOutput<Id, Result>,
): Promise<ExitCode> {
  const exitCode = exitCodeOfItems(items);
  const rows = items.map(({ id, result, error }) => ({
    id,
    outcome: error === null ? done : 'refused',
    ...facts(result),
    error: error && summarizeError(error),
  }));
  const table: Column<BatchItem<Id, Result>>[] = [
    { header: 'ID', cell: ({ id }) => ({ text: String(id) }) },
    {
      header: 'RESULT',
      cell: ({ error }) => (error === null ? { text: done, tone: 'good' } : { text: 'refused', tone: 'bad' }),
    },
    ...columns,
    { header: 'WHY', cell: ({ error }) => ({ text: error?.message ?? '' }), canShrink: true },
  ];
  const value: BatchResult = { exitCode, [name]: rows };
  await printRecord(value, {
    isJson,
    fields,
    render: (paint) => renderTable(items, table, { width: terminalWidth(), paint }),
  });
  return exitCode;
}

type BatchResult = Readonly<Record<string, number | readonly { readonly error: ErrorSummary | null }[]>>;

/** The fields of the JSON that `printBatch` prints. */
export function batchFields(name: string, facts: readonly string[]): readonly string[] {
  const ofItem = ['id', 'outcome', ...facts, 'error', ...ERROR_SUMMARY_FIELDS.map((field) => `error.${field}`)];
  return ['exitCode', name, ...ofItem.map((field) => `${name}.${field}`)];
}
