/** Passes requests on to a real service and records its answers. */
import type { MockAnswer, MockRequest, Outcome } from '../service/call.ts';
import { pathOf } from '@svc/domain/requests/match-route';
import { matchRoute } from '../service/routes.ts';
import { replaceUrl, toRecordedAnswer } from './answers.ts';
import { createCassette } from './cassette.ts';
import type { Cassette, Interaction } from './format.ts';
import { toRecordedRequest } from './recorded-request.ts';
import { createRedactor, NO_REDACTOR } from './redact.ts';

export interface TapeOptions {
  /** Base URL of the service, without a slash at its end. */
  readonly upstream: string;
  /** Sends a request without following redirects. Rejects with a `TimeoutError` when no answer comes in time. */
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
  readonly ignoreQuery: readonly string[];
  readonly redactEmails: boolean;
  /** Largest request body to pass on, in bytes. */
  readonly requestBytesMax: number;
  /** Address by which the recorder is called; links in answers lead there. */
  readonly baseUrl: () => string;
  /** Returns how an answer differs from the contract. */
  readonly findProblems: (request: MockRequest, answer: MockAnswer) => Promise<readonly string[]>;
  /** Called with each recorded answer. */
  readonly onRecorded: (request: MockRequest) => void;
  /** Called with what is wrong with an answer, or why none was recorded. Each message once. */
  readonly onWarning: (message: string) => void;
}

export interface Tape {
  readonly answer: (request: MockRequest) => Promise<Outcome>;
  /** What was recorded so far. */
  readonly cassette: () => Cassette;
}

/** Larger answers are refused: a cassette is one file, held in memory. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Headers of the connection, or set anew by `fetch`. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-encoding',
]);
const BODILESS_METHODS = ['GET', 'HEAD'];

export function createTape(options: TapeOptions): Tape {
  const { upstream, ignoreQuery, redactEmails, baseUrl, onRecorded } = options;
  const keys = new Set<string>();
  const redactor = createRedactor({ redactEmails, keys });
  /** By order of arrival, in which equal requests are replayed. */
  const recorded: (Interaction | null)[] = [];
  const warned = new Set<string>();
  const warn = (message: string) => {
    const kind = message.replaceAll(/\[\d+\]/g, '[]');
    if (warned.has(kind)) return;
    warned.add(kind);
    options.onWarning(message);
  };

  async function record(request: MockRequest): Promise<MockAnswer> {
    rememberKey(request, keys);
    const place = recorded.push(null) - 1;
    const answer = await callUpstream(request, options);
    recorded[place] = {
      request: toRecordedRequest(request, { redactor, ignoreQuery }),
      answer: toRecordedAnswer(answer, upstream, isContract(request) ? NO_REDACTOR : redactor),
    };
    for (const problem of await options.findProblems(request, answer)) warn(problem);
    onRecorded(request);
    return answer;
  }

  return {
    async answer(request) {
      try {
        const answer = await record(request);
        return { kind: 'answer', answer: withOwnUrl(answer, upstream, baseUrl()), delayMs: 0 };
      } catch (error) {
        const { status, message } = toFailure(error, upstream);
        warn(`${request.method} ${redactor.path(pathOf(request.target))}: ${message} Nothing was recorded.`);
        return { kind: 'answer', answer: toFailureAnswer(status, message), delayMs: 0 };
      }
    },
    cassette: () =>
      createCassette(
        recorded.filter((each) => each !== null),
        { ignoreQuery, redactEmails },
      ),
  };
}

/** The contract is public, and its examples look like secrets. */
function isContract({ method, target }: MockRequest): boolean {
  const id = matchRoute(method, target)?.route.id;
  return id === 'getOpenapiJson' || id === 'getOpenapiYaml';
}

/** Adds the key of a request, so that it is not recorded where the service repeats it. */
function rememberKey({ headers }: MockRequest, keys: Set<string>): void {
  const key = (headers['authorization'] ?? '').replace(/^\w+ +/, '').trim();
  // Shorter texts could be parts of ordinary words.
  if (key.length >= 8) keys.add(key);
}

async function callUpstream(request: MockRequest, options: TapeOptions): Promise<MockAnswer> {
  const { method, target, headers, body } = request;
  if (body.length > options.requestBytesMax) {
    throw new RecordError(413, `The body is larger than ${options.requestBytesMax} bytes.`);
  }
  if (request.isDamaged === true) throw new RecordError(400, 'The body is not in its Content-Encoding.');
  const passed = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name));
  const response = await options.send(options.upstream + target, {
    method,
    headers: Object.fromEntries(passed),
    ...(BODILESS_METHODS.includes(method) || body.length === 0 ? {} : { body: Uint8Array.from(body) }),
  });
  const text = await readText(response);
  const kept = [...response.headers].filter(
    ([name]) => !CONNECTION_HEADERS.has(name) && !name.startsWith('access-control-'),
  );
  return { status: response.status, headers: Object.fromEntries(kept), body: text };
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let length = 0;
  let text = '';
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new RecordError(502, `The answer is larger than ${ANSWER_BYTES_MAX} bytes.`);
    text += decodeText(() => decoder.decode(chunk, { stream: true }));
  }
  return text + decodeText(() => decoder.decode());
}

function decodeText(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new RecordError(502, 'The answer is not text in UTF-8.');
  }
}

/** A call that is not passed on, or whose answer is not recorded. */
class RecordError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function toFailure(error: unknown, upstream: string): { readonly status: number; readonly message: string } {
  if (error instanceof RecordError) return { status: error.status, message: error.message };
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return { status: 502, message: `${upstream} did not answer (${reason}).` };
}

function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'the time limit is over';
  if (!(cause instanceof Error)) return message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  413: 'Payload Too Large',
  502: 'Bad Gateway',
};

function toFailureAnswer(status: number, message: string): MockAnswer {
  const body = JSON.stringify({
    statusCode: status,
    message: `svc-mock record: ${message}`,
    error: REASON_PHRASES[status],
  });
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }, body };
}

/** Lets links lead to the recorder, so that calls that follow them are recorded too. */
function withOwnUrl({ status, headers, body }: MockAnswer, upstream: string, own: string): MockAnswer {
  const replace = (text: string) => replaceUrl(text, upstream, own);
  const all = Object.entries(headers).map(([name, value]) => [name, replace(value)]);
  return { status, headers: Object.fromEntries(all), body: replace(body) };
}
