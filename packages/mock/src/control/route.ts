/** The type of a control endpoint: method, path, input, answers and implementation. */
import { badRequest } from '@svc/domain/errors/errors';
import { distance } from 'fastest-levenshtein';
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
  /** @throws ApiError 400 for a receiver that is not allowed */
  readonly assertReceiver: (url: string) => void;
}

export interface ControlReply {
  /** Default 200. */
  readonly status?: number;
  readonly json?: unknown;
}

type Reply = ControlReply | Promise<ControlReply>;

/** Answers by status, beside the usual refusals; null for an answer without a body. */
export type Answers = Readonly<Record<number, AnswerName | null>>;

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/__svc`, with `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** Whether the route acts on one world and so also exists below `/worlds/{world}`. */
  readonly isOfWorld: boolean;
  /** Null when no body is read. */
  readonly body: z.ZodType | null;
  /** Null without query parameters. */
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

/** Creates a route whose `run` gets the parsed body and query. */
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
    // The option types derive from the schemas, so this is their output.
    return options.run(parsed as Parameters<typeof options.run>[0]);
  };
  return { method, path, summary, isOfWorld, body, query, answers, run };
}

function parseNoQuery(query: Readonly<Record<string, string>>): object {
  const [name] = Object.keys(query);
  if (name !== undefined) throw badRequest(`This endpoint has no query parameters, but "${name}" was sent.`);
  return {};
}

/** Parses a value. @throws ApiError 400 that lists the problems */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw badRequest(result.error.issues.map((issue) => describeIssue(issue, what) + fieldsOf(schema, issue)).join('; '));
}

function describeIssue(issue: z.core.$ZodIssue, what: string): string {
  const where = issue.path.length === 0 ? what : issue.path.join('.');
  return `${where}: ${reasonOf(issue)}`;
}

/** Lists the known fields after an unknown one. */
function fieldsOf(schema: z.ZodType, { code, path }: z.core.$ZodIssue): string {
  const isAtTop = code === 'unrecognized_keys' && path.length === 0;
  return isAtTop && 'shape' in schema ? ` (known: ${Object.keys(schema.shape as object).join(', ')})` : '';
}

/** Describes an issue. When several forms are possible, lists the requirement of each. */
function reasonOf(issue: z.core.$ZodIssue): string {
  const plain = (text: string) => text.replace(/^Invalid input: /, '');
  switch (issue.code) {
    case 'invalid_union': {
      const reasons = issue.errors.flat().map((each) => plain(reasonOf(each)));
      return reasons.length === 0 ? issue.message : [...new Set(reasons)].join(', or ');
    }
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : issue.message;
    case 'invalid_value':
      return typeof issue.input === 'string' && issue.values.length > 1
        ? unknownValue(issue.input, issue.values.map(String))
        : issue.message;
    case 'invalid_key':
      return issue.issues.map(reasonOf).join(', ');
    default:
      return issue.message;
  }
}

/** More than any known value has. */
const VALUE_LENGTH_MAX = 100;

function unknownValue(sent: string, known: readonly string[]): string {
  const shown = sent.slice(0, VALUE_LENGTH_MAX);
  const near = nearest(shown, known);
  return `unknown value "${shown}"${near === null ? `: must be one of ${known.join(', ')}` : `. Did you mean "${near}"?`}`;
}

/** Returns the known text that was probably meant, or null when none is similar. */
export function nearest(sent: string, known: readonly string[]): string | null {
  const distances = known.map((text) => distance(sent.toLowerCase(), text.toLowerCase()));
  const least = Math.min(...distances);
  const found = known[distances.indexOf(least)];
  return found !== undefined && least <= found.length / 3 ? found : null;
}
