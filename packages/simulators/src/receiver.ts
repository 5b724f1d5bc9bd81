/**
 * A customer's endpoint for webhooks and forwarded events on loopback, for demo and tests, with the two seams that make calls to any public name end
 * here: `resolve` answers a fixed public address that is never dialled, `dial` connects to this receiver instead. The guard
 * between the two stays in force, so a private address is refused exactly as in production.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Global unicast; documentation ranges are reserved and would not pass the guard. */
const SOME_PUBLIC_ADDRESS = '93.184.215.14';
const KEPT_MAX = 1_000;

export interface ReceivedPost {
  /** Name in the URL that was called. */
  host: string;
  path: string;
  headers: Record<string, string>;
  /** Decoded as UTF-8. */
  body: string;
  /** As they came. */
  bytes: Buffer;
}

/** How the next posts are answered: a status, or no answer at all. */
export type ReceiverAnswer = number | 'reset' | 'hang';

export interface ReceiverSimulator {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly resolve: (host: string, signal: AbortSignal) => Promise<string[]>;
  readonly dial: (target: { readonly signal: AbortSignal }) => Promise<Socket>;
  /** What was received, oldest first. */
  posts(): readonly ReceivedPost[];
  /** The next posts get these answers, in this order; after them 200. */
  answerNext(...answers: ReceiverAnswer[]): void;
  /** Every post is answered so until this is called again, or as the function says of each. */
  answerAlways(answer: ReceiverAnswer | ((post: ReceivedPost) => ReceiverAnswer)): void;
  /** Forgets everything, and breaks the connections of posts that hang. */
  reset(): void;
  close(): Promise<void>;
}

export async function startReceiverSimulator(): Promise<ReceiverSimulator> {
  let posts: ReceivedPost[] = [];
  let planned: ReceiverAnswer[] = [];
  let otherwise: (post: ReceivedPost) => ReceiverAnswer = () => 200;
  const http: Server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/__sim/state') {
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
