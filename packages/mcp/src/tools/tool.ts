import type { CallOptions, Client } from '@svc/sdk';
import { parseMoment } from '@svc/domain/values/moment';
import * as z from 'zod';
import type { RecordAnswer, RowsAnswer } from '../answers/answer.ts';
import { ToolError } from '../answers/errors.ts';
import type { PlanBook } from '../answers/plan-book.ts';

/** What a tool needs of its surroundings. */
export interface ToolContext {
  readonly client: Client;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Checks of the machine on which the server runs, when there are any. */
  readonly doctor?: (() => Promise<readonly object[]>) | undefined;
}

export interface ToolCall extends ToolContext {
  /** Undefined when the server only reads. */
  readonly plans: PlanBook | undefined;
  /** Ends the calls to the API when the client gives up. */
  readonly options: CallOptions;
}

/** Hints for clients, which may not rely on them: the tool and the API check by themselves. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** A constant: text of the API in a description could give orders to the model. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly hints: ToolHints;
  run(args: Readonly<Record<string, unknown>>, call: ToolCall): Promise<RowsAnswer | RecordAnswer>;
}

export function defineTool<Shape extends z.core.$ZodLooseShape>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: z.ZodObject<Shape, z.core.$strict>;
    run(args: z.infer<z.ZodObject<Shape, z.core.$strict>>, call: ToolCall): Promise<RowsAnswer | RecordAnswer>;
  },
): Tool {
  return tool as unknown as Tool;
}

export const idSchema = z.int().positive();
export const sinceSchema = z.string().max(40).describe('7d, 1h, 2026-01-31 or ISO-8601. Default 7d');
export const untilSchema = z.string().max(40).describe('Default now');

export interface ResolvedRange {
  readonly from: string;
  readonly to: string;
}

/** @throws ToolError for what is no time */
export function resolveRange(
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
  nowMs: number,
  defaultSince = '7d',
): ResolvedRange {
  const at = (text: string, edge: 'start' | 'end'): string => {
    const ms = parseMoment(text, { nowMs, edge });
    // The API takes years of four digits.
    if (ms === null || ms < 0 || ms > 8.64e13) {
      throw new ToolError(`"${text}" is no time. For example: 7d, 1h30m, yesterday, 2026-01-31, 2026-01-31T08:00:00Z.`);
    }
    return new Date(ms).toISOString();
  };
  const range = { from: at(since ?? defaultSince, 'start'), to: at(until ?? 'now', 'end') };
  if (range.from > range.to) throw new ToolError(`since (${range.from}) lies after until (${range.to}).`);
  return range;
}
