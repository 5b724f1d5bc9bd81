import type { Client } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';
import type { MockControl, TriggerBody } from './control.ts';
import { isRecord } from '../../format/fields.ts';

export interface Triggered {
  readonly type: string;
  readonly eventId: string;
  /** The only one it goes to; null where it goes to all that subscribe. */
  readonly webhookId: string | null;
}

export interface TriggerRequest {
  readonly type: string;
  /** For `test.ping`: the one webhook it goes to. */
  readonly webhookId: string | undefined;
  /** What the event says; undefined where nothing was said. Only the mock takes it. */
  readonly details: Omit<TriggerBody, 'type'> | undefined;
}

const WHERE = '`svc mock start` runs the service on this machine, where events can be had at will.';

/**
 * Emits an event: the mock does that at will, a real service only sends a `test.ping` to one webhook.
 *
 * @throws CliError (exit 2) when the service cannot
 */
export async function triggerEvent(
  { type, webhookId, details }: TriggerRequest,
  { client, mock }: { readonly client: Client; readonly mock: MockControl | null },
): Promise<Triggered> {
  if (type !== 'test.ping' && webhookId !== undefined) {
    throw usageError(`${type} goes to all webhooks that subscribe to it`, '--webhook is for test.ping.');
  }
  if (mock !== null && webhookId === undefined) {
    return { type, eventId: await mock.trigger({ type, ...details }), webhookId: null };
  }
  if (type !== 'test.ping') throw usageError(`A real service emits ${type} only when it happens`, WHERE);
  if (details !== undefined) throw usageError('What a test.ping of the service says is fixed', WHERE);
  const id = webhookId ?? (await onlyWebhook(client));
  const { eventId } = await client.webhooks.test(id);
  return { type, eventId, webhookId: id };
}

/** @throws CliError (exit 2) that lists the webhooks */
async function onlyWebhook(client: Client): Promise<string> {
  const { webhooks } = await client.webhooks.list();
  const [only, ...others] = webhooks;
  if (only === undefined)
    throw usageError('There is no webhook to ping', '`svc webhooks create --url https://...` adds one.');
  if (others.length === 0) return only.id;
  const ids = webhooks.map(({ id }) => id).join(', ');
  throw usageError('There are several webhooks: which one?', `Add --webhook ID. There are: ${ids}`);
}

export interface DetailFlags {
  readonly connection?: number | undefined;
  readonly source?: number | undefined;
  readonly summary?: string | undefined;
  readonly data?: string | undefined;
}

/** What an event shall say; undefined where nothing was said. @throws CliError (exit 2) */
export function parseDetails({
  connection,
  source,
  summary,
  data,
}: DetailFlags): Omit<TriggerBody, 'type'> | undefined {
  const details = {
    ...(connection === undefined ? {} : { connectionId: connection }),
    ...(source === undefined ? {} : { sourceId: source }),
    ...(summary === undefined ? {} : { summary }),
    ...(data === undefined ? {} : { data: parseData(data) }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

function parseData(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (isRecord(value)) return value;
  throw usageError('--data takes a JSON object', `For example: --data '{"reason":"tried out"}'`);
}
