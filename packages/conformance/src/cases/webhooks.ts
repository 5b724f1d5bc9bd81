/** Creates webhooks for cases, each with its own host; they are deleted when the case ends. */
import { createHmac } from 'node:crypto';
import type { OperationId } from '@svc/contract/operations';
import { afterEach, expect } from 'vitest';
import type { Answer, Call } from '../harness/client.ts';
import type { Api } from '../harness/suite.ts';
import type { ReceivedPost, Receiver } from '../harness/targets/receivers.ts';

export const WRITE_KEY = 'osapi_demo_write';

export interface MadeWebhook {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
  readonly receiver: Receiver;
}

let hosts = 0;

export function nextHost(): string {
  hosts += 1;
  return `hook-${hosts}.example.com`;
}

export interface WebhookCases {
  /** Creates a webhook with a receiver. */
  make: (body?: { enabledEvents?: readonly string[]; key?: string }) => Promise<MadeWebhook>;
  /** Makes a write call, which must succeed. */
  write: (operationId: OperationId, call: Call) => Promise<Answer>;
  /** Queues a `test.ping` and returns its event's id. */
  ping: (id: string) => Promise<string>;
  /** Returns the deliveries of a webhook, newest first. */
  deliveries: (id: string) => Promise<ShownDelivery[]>;
  /** Sends pings that the receiver answers with `status`. */
  pingAll: (webhook: MadeWebhook, count: number, status: number) => Promise<void>;
}

export interface ShownDelivery {
  readonly id: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly lastAttemptAt: string | null;
  readonly lastHttpStatus: number | null;
  readonly lastError: string | null;
  readonly replayOfDeliveryId: string | null;
}

/** Call it where the cases are defined. */
export function useWebhooks(api: Api): WebhookCases {
  let made: { id: string; key: string }[] = [];
  afterEach(async () => {
    for (const { id, key } of made) await api.call('deleteWebhook', { key, params: { id } });
    made = [];
  });

  async function write(operationId: OperationId, call: Call): Promise<Answer> {
    const answer = await api.call(operationId, { key: WRITE_KEY, ...call });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  }
  const cases: WebhookCases = {
    write,
    async make({ enabledEvents, key = WRITE_KEY } = {}) {
      const receiver = await api.target().openReceiver(nextHost());
      const url = `https://${receiver.host}/hooks/svc?source=suite`;
      const { json } = await write('createWebhook', { key, body: { url, enabledEvents } });
      made.push({ id: json.id, key });
      return { id: json.id, secret: json.secret, url, receiver };
    },
    async ping(id) {
      return (await write('testWebhook', { params: { id } })).json.eventId;
    },
    async deliveries(id) {
      return (await api.read('listWebhookDeliveries', { params: { id }, query: { limit: 100 } })).data;
    },
    async pingAll({ id, receiver }, count, status) {
      receiver.answer(status);
      for (let index = 0; index < count; index += 1) await cases.ping(id);
      await api.target().settle();
    },
  };
  return cases;
}

/** Parses a signature header and verifies it with Node's HMAC over the received bytes. */
export function signatureOf({ headers, body }: ReceivedPost): { t: number; isValidFor: (secret: string) => boolean } {
  const [, seconds = '', v1] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(headers['service-signature'] ?? '') ?? [];
  const expected = (secret: string) => createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return { t: Number(seconds), isValidFor: (secret) => expected(secret) === v1 };
}

/** Returns the only request that arrived; throws when there is another number. */
export function onlyPost({ posts }: Receiver): ReceivedPost {
  const [post] = posts;
  if (post === undefined || posts.length !== 1) throw new Error(`${posts.length} posts arrived`);
  return post;
}
