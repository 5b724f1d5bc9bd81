/**
 * A customer's endpoint for webhooks and forwarded events on loopback, for demo and tests. Its `resolve` returns a
 * fixed public address that is never dialled, and its `dial` connects to this receiver, so calls to any public name end
 * here. The guard between the two stays in force, so private addresses are refused as in production.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { isOwnHost } from './http/own-host.ts';

/** A globally routable address; documentation ranges are reserved and would not pass the guard. */
const SOME_PUBLIC_ADDRESS = '93.184.215.14';
const KEPT_MAX = 1_000;

export interface ReceivedPost {
  /** Host name in the called URL. */
  host: string;
  path: string;
  headers: Record<string, string>;
  /** Decoded as UTF-8. */
  body: string;
  /** The received bytes. */
  bytes: Buffer;
}

/** How a post is answered: a status, a whole answer, a broken connection, or no answer. */
export type ReceiverAnswer =
  | number
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'reset'
  | 'hang';

export interface ReceiverSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly resolve: (host: string, signal: AbortSignal) => Promise<string[]>;
  readonly dial: (target: { readonly signal: AbortSignal }) => Promise<Socket>;
  /** Returns the received posts, oldest first. */
  posts(): readonly ReceivedPost[];
  /** Answers the next posts with these answers in order; later ones with 200. */
  answerNext(...answers: ReceiverAnswer[]): void;
  /** Answers every post like this, or as the function returns, until it is called again. */
  answerAlways(answer: ReceiverAnswer | ((post: ReceivedPost) => ReceiverAnswer)): void;
  /** Deletes everything, and breaks the connections of hanging posts. */
  reset(): void;
  close(): Promise<void>;
}

export async function startReceiverSimulator(): Promise<ReceiverSimulator> {
  let posts: ReceivedPost[] = [];
  let planned: ReceiverAnswer[] = [];
  let otherwise: (post: ReceivedPost) => ReceiverAnswer = () => 200;
  const http: Server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/__sim/state' && isOwnHost(request.headers.host)) {
      const shown = posts.map(({ bytes: _bytes, ...post }) => post);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ posts: shown }));
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const bytes = Buffer.concat(chunks);
      const { host = '' } = headers;
      const post = { host, path: request.url ?? '', headers, body: bytes.toString('utf8'), bytes };
      posts = [...posts.slice(1 - KEPT_MAX), post];
      const answer = planned.shift() ?? otherwise(post);
      if (answer === 'reset') request.socket.destroy();
      else if (typeof answer === 'object') response.writeHead(answer.status, answer.headers).end(answer.body);
      else if (answer !== 'hang') response.writeHead(answer).end('received');
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    resolve: async () => [SOME_PUBLIC_ADDRESS],
    dial: ({ signal }) => dialLoopback(port, signal),
    posts: () => posts,
    answerNext: (...answers) => {
      planned.push(...answers);
    },
    answerAlways: (answer) => {
      otherwise = typeof answer === 'function' ? answer : () => answer;
    },
    reset() {
      posts = [];
      planned = [];
      otherwise = () => 200;
      http.closeAllConnections();
    },
    async close() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

function dialLoopback(port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket));
    socket.once('error', reject);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
  });
}
