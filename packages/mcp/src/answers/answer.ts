import type { CallToolResult } from '@modelcontextprotocol/server';
import { encodeCursor, type Position } from './cursor.ts';
import { cleanValue, fence, LONG_TEXT_MAX, TEXT_MAX } from './fence.ts';
import { renderRecord, renderTable } from './render.ts';

export const ROWS_MAX = 50;
/** Bytes of text and structured content together. */
export const ANSWER_BYTES_MAX = 20_000;

/** A call that helps. Its words are ours, never those of third parties. */
export interface NextCall {
  readonly text: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Rows of a search. */
export interface RowsAnswer {
  /** What the rows are, for the marks around them. */
  readonly source: string;
  /** Our words about the rows. */
  readonly summary: (shown: number) => string;
  readonly rows: readonly object[];
  /** Where the first row stands. */
  readonly at: Position;
  /** Where the search goes on after the last row; null at its end. */
  readonly after: Position | null;
}

/** One thing, such as a status. */
export interface RecordAnswer {
  readonly source: string;
  readonly summary: string;
  readonly record: object;
  readonly next?: readonly NextCall[];
  /** Set when nothing was done yet: a second call with the id does it. */
  readonly plan?: { readonly planId: string; readonly what: string };
}

export interface AnswerStyle {
  /** 8 random characters. */
  readonly mark: string;
  readonly hidesText: boolean;
}

/** Shows as many rows as fit; the others come with the cursor. */
export function toRowsResult(answer: RowsAnswer, { mark, hidesText }: AnswerStyle): CallToolResult {
  const options = { textMax: TEXT_MAX, itemsMax: 20, hidesText };
  const rows = answer.rows.slice(0, ROWS_MAX).map((row) => cleanValue(row, options) as Record<string, unknown>);
  for (let shown = rows.length; ; shown -= 1) {
    const after = shown < answer.rows.length ? { ...answer.at, skip: answer.at.skip + shown } : answer.after;
    const nextCursor = after && encodeCursor(after);
    const some = rows.slice(0, shown);
    const text = [
      answer.summary(shown),
      ...(shown === 0 ? [] : [fence(renderTable(some), answer.source, mark)]),
      ...(nextCursor === null ? [] : [`More rows: call again with cursor ${nextCursor}`]),
    ].join('\n');
    const result = toResult(text, { rows: some, nextCursor });
    if (shown <= 1 || sizeOf(result) <= ANSWER_BYTES_MAX) return result;
  }
}

/** From all that is worth reading to what fits. */
const LEVELS = [
  { textMax: LONG_TEXT_MAX, itemsMax: 50 },
  { textMax: TEXT_MAX, itemsMax: 50 },
  { textMax: TEXT_MAX, itemsMax: 20 },
  { textMax: TEXT_MAX, itemsMax: 5 },
  { textMax: 60, itemsMax: 2 },
];

/** Shows a record; when it is too large, with shorter texts and lists. */
export function toRecordResult(
  { source, summary, record, next = [] }: RecordAnswer,
  { mark, hidesText }: AnswerStyle,
): CallToolResult {
  const calls = next.map(({ text, tool, args }) => `Next: ${text} ${tool} ${JSON.stringify(args)}`);
  for (const level of LEVELS) {
    const cleaned = cleanValue(record, { ...level, hidesText }) as Record<string, unknown>;
    const text = [summary, fence(renderRecord(cleaned), source, mark), ...calls].join('\n');
    const result = toResult(text, { ...cleaned, ...(next.length === 0 ? {} : { next }) });
    if (sizeOf(result) <= ANSWER_BYTES_MAX) return result;
  }
  return toResult([summary, 'The rest is too large to show.', ...calls].join('\n'), { next });
}

export function toErrorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function toResult(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

function sizeOf({ content, structuredContent }: CallToolResult): number {
  return Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(JSON.stringify(structuredContent));
}
