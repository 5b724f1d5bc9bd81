/** What a control endpoint is: method, path, what it takes and answers, and what it does. */
import { badRequest } from '@svc/domain/errors/errors';
import type * as z from 'zod';
import type { Engine } from '../service/engine.ts';
import type { World } from '../state/world.ts';
import type { AnswerName } from './answers.ts';

export interface ControlCall<Body = undefined, Query = Readonly<Record<string, never>>> {
  readonly engine: Engine;
  readonly world: World;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** @throws ApiError 400 for a receiver that this mock must not call */
  readonly assertReceiver: (url: string) => void;
}

export interface ControlReply {
  /** Default 200. */
  readonly status?: number;
  readonly json?: unknown;
}

type Reply = ControlReply | Promise<ControlReply>;

/** Of a success or a refusal beside the usual ones: what is answered, or null for an answer without a body. */
export type Answers = Readonly<Record<number, AnswerName | null>>;

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/__svc`, with `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** Whether it is about one world, and exists below `/worlds/{world}` too. */
  readonly isOfWorld: boolean;
  /** Null: no body is read. */
  readonly body: z.ZodType | null;
  /** Null: there are no parameters. */
  readonly query: z.ZodObject | null;
  readonly answers: Answers;
  readonly run: (call: ControlCall<unknown, Readonly<Record<string, string>>>) => Reply;
}

export interface RouteOptions<Body extends z.ZodType | null, Query extends z.ZodObject | null> {
  /** Method and path, as in `GET /clock`. */
  readonly at: `${ControlRoute['method']} /${string}`;
  readonly summary: string;
  readonly answers: Answers;
  /** Default true. */
  readonly isOfWorld?: boolean;
  readonly body?: Body;
  readonly query?: Query;
  readonly run: (
    call: ControlCall<
      Body extends z.ZodType ? z.output<Body> : undefined,
      Query extends z.ZodObject ? z.output<Query> : object
    >,
  ) => Reply;
}

/** A route whose `run` gets body and parameters as their schemas make them. */
export function controlRoute<Body extends z.ZodType | null = null, Query extends z.ZodObject | null = null>(
  options: RouteOptions<Body, Query>,
): ControlRoute {
  const { at, summary, answers, isOfWorld = true, body = null, query = null } = options;
  const [method, path] = at.split(' ') as [ControlRoute['method'], string];
  const run: ControlRoute['run'] = (call) => {
    const parsed = {
      ...call,
      query: query === null ? parseNoQuery(call.query) : parse(query, call.query, 'The query'),
      body: body === null ? undefined : parse(body, call.body === undefined ? {} : call.body, 'The body'),
    };
    // The schemas' output, which the types of the options derive from them.
    return options.run(parsed as Parameters<typeof options.run>[0]);
  };
  return { method, path, summary, isOfWorld, body, query, answers, run };
}

function parseNoQuery(query: Readonly<Record<string, string>>): object {
  const [name] = Object.keys(query);
  if (name !== undefined) throw badRequest(`There are no query parameters here; "${name}" was sent.`);
  return {};
}

/** @throws ApiError 400 naming what is wrong */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(result.error.issues.map((issue) => describeIssue(issue, what)).join('; '));
}

function describeIssue(issue: z.core.$ZodIssue, what: string): string {
  const where = issue.path.length === 0 ? what : issue.path.join('.');
  return `${where}: ${reasonOf(issue)}`;
}

/** Of a value that none of several forms takes, what each of them asks for. */
function reasonOf(issue: z.core.$ZodIssue): string {
  const plain = (text: string) => text.replace(/^Invalid input: /, '');
  switch (issue.code) {
    case 'invalid_union': {
      const reasons = issue.errors.flat().map((each) => plain(reasonOf(each)));
      return reasons.length === 0 ? issue.message : [...new Set(reasons)].join(', or ');
    }
    case 'invalid_key':
      return issue.issues.map(reasonOf).join(', ');
    default:
      return issue.message;
  }
}
