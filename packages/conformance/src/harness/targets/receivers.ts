/**
 * Customers' endpoints: one HTTP server on loopback with a receiver per host name. Targets send requests for a host to it. The
 * `Host` header selects the receiver, or the path for targets that use `urlOf`.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A status; `reset` closes the connection, `hang` never answers, a promise delays the answer. */
export type ReceiverAnswer = number | 'reset' | 'hang' | Redirect | Promise<number>;

export interface Redirect {
  readonly status: number;
  readonly location: string;
}

export interface Receiver {
  readonly host: string;
  /** Received requests, oldest first. */
  readonly posts: readonly ReceivedPost[];
  /** Sets the answers to the next requests, in this order. */
  plan(...answers: readonly ReceiverAnswer[]): void;
  /** Sets the answer to all requests without a planned one. Default: 200. */
  answer(answer: ReceiverAnswer): void;
  /** Resolves once `count` requests have arrived in total. */
  arrived(count: number): Promise<void>;
}

export interface ReceiverServer {
  readonly port: number;
  /** Returns the URL of a host's receiver, without a trailing slash. */
  urlOf(host: string): string;
  open(host: string): Receiver;
  close(): Promise<void>;
}

interface OpenReceiver extends Receiver {
  take(post: ReceivedPost): ReceiverAnswer;
}

/** A path that starts with its host. */
const BY_ADDRESS = /^\/to-host\/([^/]+)(.*)$/;

export async function startReceivers(): Promise<ReceiverServer> {
  const receivers = new Map<string, OpenReceiver>();
  const http = createServer((request, response) => {
    void receive(request, response).catch(() => response.destroy());
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { method = '', url = '' } = request;
    const [, named, rest = ''] = BY_ADDRESS.exec(url) ?? [];
    const path = named === undefined ? url : rest;
    const receiver = receivers.get(named ?? headers['host'] ?? '');
    const answer = receiver?.take({ method, path, headers, body: Buffer.concat(chunks) }) ?? 200;
    if (answer === 'reset') request.socket.destroy();
    else if (answer === 'hang') return;
    else if (answer instanceof Promise) response.writeHead(await answer).end();
    else if (typeof answer === 'number') response.writeHead(answer).end('received');
    else response.writeHead(answer.status, { location: answer.location }).end();
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    port,
    urlOf: (host) => `http://127.0.0.1:${port}/to-host/${host}`,
    open(host) {
      const receiver = createReceiver(host);
      receivers.set(host, receiver);
      return receiver;
    },
    async close() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

function createReceiver(host: string): OpenReceiver {
  const posts: ReceivedPost[] = [];
  const planned: ReceiverAnswer[] = [];
  let otherwise: ReceiverAnswer = 200;
  let waiting: { count: number; resolve: () => void }[] = [];
  return {
    host,
    posts,
    plan: (...answers) => {
      planned.push(...answers);
    },
    answer: (answer) => {
      otherwise = answer;
    },
    arrived: (count) =>
      new Promise((resolve) => {
        if (posts.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    take(post) {
      posts.push(post);
      for (const { count, resolve } of waiting) if (posts.length >= count) resolve();
      waiting = waiting.filter(({ count }) => posts.length < count);
      return planned.shift() ?? otherwise;
    },
  };
}
