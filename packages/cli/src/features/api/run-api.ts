import type { Client } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';
import { printJson, printText } from '../../format/json.ts';
import { formatCount, startProgress } from '../../terminal/progress.ts';
import { createRowEncoder } from '../../format/row-encoder.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import { sanitize } from '../../terminal/text.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  createSender,
  parseBody,
  requireSuccess,
  type SendRequest,
  walkPages,
} from './call.ts';
import { type ApiField, appendToQuery, buildBody, parseRawField, parseTypedField } from './fields.ts';
import { resolveApiUrl } from './url.ts';
import { readFile } from 'node:fs/promises';

export interface ApiOptions {
  readonly method: string;
  readonly path: string;
  readonly baseUrl: string;
  readonly headerPrefix: string;
  readonly field?: readonly string[] | undefined;
  readonly 'raw-field'?: readonly string[] | undefined;
  readonly input?: string | undefined;
  readonly paginate?: boolean;
  readonly format?: 'json' | 'ndjson' | undefined;
  readonly include?: boolean;
  readonly json?: boolean;
}

/** Runs `svc api`. Arguments are checked before the client is created. */
export async function runApi(options: ApiOptions, connect: () => Client): Promise<void> {
  const request = await buildRequest(options);
  const sendAny = createSender(connect());
  const send: SendRequest = async (next) => {
    const answer = await sendAny(next);
    if (options.include !== true) requireSuccess(next, answer, options.headerPrefix);
    return answer;
  };
  if (options.paginate === true) return printPages(request, send, options.format ?? 'json');
  const answer = await send(request);
  if (options.include === true) await writeStdout(showHead(answer));
  if (options.json === true) await printJson(parseBody(answer.text));
  else await printBody(answer.text);
  requireSuccess(request, answer, options.headerPrefix);
}

async function buildRequest(options: ApiOptions): Promise<ApiRequest> {
  const method = parseMethod(options.method);
  const url = resolveApiUrl(options.baseUrl, options.path);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && options.input !== undefined) throw usageError(`A ${method} has no body`, 'Remove --input.');
  if (options.paginate === true && method !== 'GET') throw usageError('--paginate works with GET only');
  const fields: ApiField[] = (options['raw-field'] ?? []).map(parseRawField);
  for (const text of options.field ?? []) fields.push(await parseTypedField(text, readInput));
  if (isRead || options.input !== undefined) {
    appendToQuery(url, fields);
    return { method, url, body: options.input === undefined ? null : await readInput(options.input) };
  }
  return { method, url, body: fields.length === 0 ? null : JSON.stringify(buildBody(fields)) };
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  // The API has no other methods, and `fetch` refuses some.
  if (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return method;
  throw usageError('The first argument is not an HTTP method', 'For example: svc api GET /me');
}

/** Prints rows page by page. */
async function printPages(request: ApiRequest, send: SendRequest, format: 'json' | 'ndjson'): Promise<void> {
  const encoder = createRowEncoder(format, null, []);
  const progress = startProgress(process.stdout.isTTY ? null : process.stderr);
  let pages = 0;
  let rows = 0;
  try {
    for await (const data of walkPages(request, send)) {
      if (pages === 0) await writeStdout(encoder.begin());
      await writeStdout(encoder.encode(data));
      pages += 1;
      rows += data.length;
      progress.show(`${formatCount(rows)} rows, ${formatCount(pages)} ${pages === 1 ? 'page' : 'pages'}`);
    }
  } finally {
    progress.end();
  }
  await writeStdout(encoder.end());
}

function showHead({ status, statusText, headers }: ApiAnswer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${sanitize(value)}\n`);
  return `HTTP/1.1 ${status} ${sanitize(statusText)}\n${lines.join('')}\n`;
}

/** Prints the body unchanged, or indented in a terminal. */
function printBody(text: string): Promise<void> {
  const value = process.stdout.isTTY ? parseBody(text) : text;
  return printText(typeof value === 'string' ? text : `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Reads a file, or stdin for `-`.
 *
 * @throws CliError (exit 2) that names the file
 */
async function readInput(path: string): Promise<string> {
  if (path === '-') return readStdin();
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code);
    throw usageError(`Cannot read ${path}: ${reason}`);
  }
}

async function readStdin(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}
