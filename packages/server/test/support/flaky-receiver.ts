/**
 * A customer's endpoint that fails by a seeded plan and records everything it receives. It listens on one port per
 * sender, so the record shows which process sent a post.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from '@svc/domain/values/random';

/** A status, or a connection that breaks without an answer. */
export type Answer = number | 'reset';

export interface Post {
  sender: string;
  deliveryId: string;
  /** Path of the called URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
  answer: Answer;
  /** Time of receipt by the receiver's clock. */
  receivedAtMs: number;
}

export interface FlakyReceiver {
  /** Every post in order of arrival. */
  readonly posts: readonly Post[];
  /** Opens a port for another sender. */
  openPort(sender: string): Promise<number>;
  /** Calls back once, right after the next success was sent to the sender. */
  onNextSuccess(sender: string, callback: () => void): void;
  close(): Promise<void>;
}

export interface FlakyReceiverOptions {
  seed: number;
  nowMs: () => number;
  /**
   * Plans the answers to the attempts 1, 2, ... of a delivery to this path; `random` returns seeded numbers from 0 to
   * 1.
   */
  plan: (path: string, random: () => number) => Answer[];
}

export function createFlakyReceiver({ seed, nowMs, plan }: FlakyReceiverOptions): FlakyReceiver {
  const random = createRandom(seed);
  const posts: Post[] = [];
  const plans = new Map<string, Answer[]>();
  const servers: Server[] = [];
  const successes = new Map<string, () => void>();

  async function receive(sender: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const deliveryId = headers['service-delivery-id'] ?? '';
    const path = request.url ?? '';
    const planned = plans.get(deliveryId) ?? plan(path, random);
    plans.set(deliveryId, planned);
    const answer = planned.shift() ?? 500;
    const body = Buffer.concat(chunks).toString();
    posts.push({ sender, deliveryId, path, headers, body, answer, receivedAtMs: nowMs() });
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    const callback = answer < 300 ? successes.get(sender) : undefined;
    if (callback) successes.delete(sender);
    response.writeHead(answer).end(callback);
  }

  return {
    posts,
    async openPort(sender) {
      const server = createServer((request, response) => {
        // A sender killed in mid-request leaves an incomplete post, which is ignored.
        receive(sender, request, response).catch(() => response.destroy());
      }).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    onNextSuccess: (sender, callback) => successes.set(sender, callback),
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
