/** A cassette: recorded requests and their answers, as a JSON file. */
import * as z from 'zod';

export const FORMAT = 'svc-mock cassette';

const text = z.string();

const requestSchema = z.strictObject({
  method: text.min(1),
  path: text.startsWith('/'),
  query: z.record(text, z.union([text, z.array(text)])).optional(),
  body: z.unknown().optional(),
});

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  headers: z.record(text, text),
  json: z.unknown().optional(),
  text: text.optional(),
});

const cassetteSchema = z.strictObject({
  format: z.literal(FORMAT, { error: `must be "${FORMAT}"` }),
  version: z.literal(1, { error: 'must be 1: update @svc/mock to read a newer cassette' }),
  ignoreQuery: z.array(text),
  redactEmails: z.boolean(),
  interactions: z.array(z.strictObject({ request: requestSchema, answer: answerSchema })),
});

// Written out, because the published types must not need zod.
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Absent without parameters. A repeated parameter is a list. */
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Parsed JSON, or the text of another body; absent without a body. */
  readonly body?: unknown;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string | undefined;
}

export interface Interaction {
  readonly request: RecordedRequest;
  readonly answer: RecordedAnswer;
}

/** Recorded requests and answers. `JSON.parse` of the file that `svc-mock record` writes. */
export interface Cassette {
  readonly format: typeof FORMAT;
  readonly version: 1;
  readonly ignoreQuery: readonly string[];
  readonly redactEmails: boolean;
  readonly interactions: readonly Interaction[];
}

/** Thrown for what is no cassette. The message lists the problems. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
}

const PROBLEMS_SHOWN = 5;

/** @throws CassetteError */
export function parseCassette(value: unknown): Cassette {
  const parsed = cassetteSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const shown = issues.slice(0, PROBLEMS_SHOWN).map(({ path, message }) => {
    return `${path.length === 0 ? 'the file' : path.join('.')}: ${message}`;
  });
  const rest = issues.length - shown.length;
  throw new CassetteError(`This is not a cassette: ${shown.join('; ')}${rest > 0 ? ` and ${rest} more` : ''}`);
}
