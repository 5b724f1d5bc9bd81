/** Sends requests unchanged, and checks the answers against the contract. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { API_PREFIX } from '@svc/contract/vocabulary';
import { isOperationId, type Operation, operations } from '@svc/contract/operations';
import { createResponseValidator, declaredStatuses } from '@svc/contract/strict';
import type { ApiAddress } from '../harness/targets/target.ts';
import type { FuzzRequest } from './requests.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const TIMEOUT_MS = 20_000;
const problemsOf = createResponseValidator();
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

export function sendRequest(baseUrl: string, { method, target, headers, body }: FuzzRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const outgoing = request(
      { agent, hostname, port, method, path: target, headers: { ...headers, ...length }, timeout: TIMEOUT_MS },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: flat(response.headers),
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/**
 * Sends a request with `fetch`, for targets that accept no raw requests.
 *
 * @returns the request as `fetch` rewrote it, and the answer; null for a request that `fetch` refuses
 */
export async function sendByFetch(
  target: ApiAddress,
  { method, target: path, headers, body }: FuzzRequest,
): Promise<{ readonly sent: FuzzRequest; readonly answer: RawAnswer } | null> {
  const request = toRequest(`${target.baseUrl}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: new Uint8Array(body) }),
  });
  if (request === null) return null;
  if (!request.url.startsWith(`${target.baseUrl}/`)) return null;
  const response = await target.fetch(request).catch((error: unknown) => {
    if (isRefusedByFetch(error)) return null;
    throw error;
  });
  if (response === null) return null;
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
  const [rewritten = ''] = request.url.slice(target.baseUrl.length).split('#');
  return { sent: { method, target: rewritten, headers }, answer };
}

/** Node's `fetch` refuses some headers only when it sends them. */
function isRefusedByFetch(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && /^UND_ERR_(NOT_SUPPORTED|INVALID_ARG)$/.test(String(cause.code));
}

function toRequest(url: string, init: RequestInit): Request | null {
  try {
    return new Request(url, init);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Sends bytes on a new connection; returns everything received until it is closed. */
export function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      // Closing the sending side makes the server refuse an incomplete request. A complete one stays open: the server could
      // take the client for gone before it answers.
      if (!isComplete(bytes.toString('latin1'))) socket.end();
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`not closed within ${TIMEOUT_MS / 1_000} s`)));
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(text);
      else reject(error);
    });
    socket.once('close', () => resolve(text));
  });
}

/** Whether bytes hold a complete last request of a connection, by its headers. */
function isComplete(bytes: string): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  const [head, body] = [bytes.slice(0, end + 2), bytes.slice(end + 4)];
  if (end === -1 || !/^connection: close\r$/im.test(head)) return false;
  if (/^transfer-encoding:/im.test(head)) return areChunksComplete(body);
  return body.length >= Number(/^content-length: *(\d+)\r$/im.exec(head)?.[1] ?? 0);
}

function areChunksComplete(body: string): boolean {
  for (let rest = body; ; ) {
    const [line, digits] = /^([\da-f]+)[^\r\n]*\r\n/i.exec(rest) ?? [];
    if (line === undefined) return false;
    const size = Number.parseInt(digits ?? '', 16);
    if (size === 0) return /^(?:[^\r\n]+\r\n)*\r\n/.test(rest.slice(line.length));
    rest = rest.slice(line.length + size + '\r\n'.length);
  }
}

/** Parses the answers of a connection. @throws Error when they are not HTTP/1.1 */
export function parseAnswers(text: string): Pick<RawAnswer, 'status' | 'text'>[] {
  const answers = [];
  for (let rest = text; rest !== ''; ) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined) throw new Error(`not an answer: ${rest.slice(0, 200)}`);
    const length = /^content-length: (\d+)\r$/im.exec(head)?.[1];
    const end = length === undefined ? rest.length : head.length + Number(length);
    const hasBody = status !== '100';
    answers.push({ status: Number(status), text: hasBody ? rest.slice(head.length, end) : '' });
    rest = rest.slice(hasBody ? end : head.length);
  }
  return answers;
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Returns the operation of a request line; undefined when the API has no such route. */
export function operationOf(method: string, target: string): Operation | undefined {
  const segments = (target.split('?')[0] ?? '').split('/');
  const asked = method === 'HEAD' ? 'GET' : method;
  return operations.find((operation) => {
    const own = operation.path.split('/');
    return (
      operation.method === asked &&
      own.length === segments.length &&
      own.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
    );
  });
}

/** Returns the problems of an answer. */
export function problemsWith(sent: FuzzRequest, answer: RawAnswer): string[] {
  if (answer.status === 500) return [`status ${answer.status}: ${answer.text.slice(0, 200)}`];
  const operation = operationOf(sent.method, sent.target);
  // The HTTP parser refused the request.
  const isReadable = /^[\x21-\x7e]*$/.test(sent.target);
  if (answer.status === 431 || (answer.status === 400 && !isReadable)) return problemsWithError(answer);
  if (operation === undefined) return problemsWithoutRoute(sent, answer);
  if (!isOperationId(operation.id)) return [`${operation.id} is not an operation`];
  if (sent.method === 'HEAD') {
    const isDeclared = declaredStatuses(operation.id).includes(answer.status);
    return isDeclared && answer.text === '' ? [] : [`HEAD: status ${answer.status}, ${answer.text.length} bytes`];
  }
  // Broken percent-encoding in a path is a 404 before routing.
  if (answer.status === 404 && !isDecodable(sent.target)) return problemsWithError(answer);
  const isJson = answer.headers['content-type']?.includes('json') ?? false;
  const body: unknown = isJson ? JSON.parse(answer.text) : answer.text;
  return problemsOf(operation.id, answer.status, answer.headers, body);
}

function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function problemsWithoutRoute({ target, method }: FuzzRequest, answer: RawAnswer): string[] {
  if (answer.status !== 404) return [`no such route, but status ${answer.status}`];
  if (target.startsWith(`${API_PREFIX}/`) && !('link' in answer.headers)) return ['header link is missing'];
  return method === 'HEAD' ? [] : problemsWithError(answer);
}

/** Returns a problem when the body is not an error with the same status. */
export function problemsWithError({ status, text }: Pick<RawAnswer, 'status' | 'text'>): string[] {
  const body: unknown = JSON.parse(text);
  const isError =
    typeof body === 'object' &&
    body !== null &&
    'statusCode' in body &&
    body.statusCode === status &&
    'message' in body &&
    typeof body.message === 'string' &&
    'error' in body &&
    typeof body.error === 'string';
  return isError ? [] : [`not an error's body: ${text.slice(0, 200)}`];
}
