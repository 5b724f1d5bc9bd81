import type { Client } from '@svc/sdk';
import { usageError } from '../../errors/cli-error.ts';
import type { MockControl, TriggerBody } from './control.ts';
import { isRecord } from '../../format/fields.ts';

export interface Triggered {
  readonly type: string;
  readonly eventId: string;
  /** The only webhook that gets the event; null for all subscribed webhooks. */
  readonly webhookId: string | null;
}

export interface TriggerRequest {
  readonly type: string;
  /** For `test.ping`: the webhook to send it to. */
  readonly webhookId: string | undefined;
  /** Details of the event, for the mock only. */
  readonly details: Omit<TriggerBody, 'type'> | undefined;
}

const MOCK_HINT = '`svc mock start` runs a mock that can emit any event.';

/**
 * Emits an event. The mock emits any event, a real service only a `test.ping` to one webhook.
 *
 * @throws CliError (exit 2) if the service cannot emit it
 */
export async function triggerEvent(
  { type, webhookId, details }: TriggerRequest,
  { client, mock }: { readonly client: Client; readonly mock: MockControl | null },
): Promise<Triggered> {
  if (type !== 'test.ping' && webhookId !== undefined) {
    throw usageError(`${type} goes to all subscribed webhooks`, '--webhook works with test.ping only.');
  }
  if (mock !== null && webhookId === undefined) {
    return { type, eventId: await mock.trigger({ type, ...details }), webhookId: null };
  }
  if (type !== 'test.ping') throw usageError(`A real service emits ${type} only when it happens`, MOCK_HINT);
  if (details !== undefined) throw usageError('The content of a test.ping cannot be changed', MOCK_HINT);
  const id = webhookId ?? (await onlyWebhook(client));
  const { eventId } = await client.webhooks.test(id);
  return { type, eventId, webhookId: id };
}

/** @throws CliError (exit 2) unless there is exactly one webhook */
async function onlyWebhook(client: Client): Promise<string> {
  const { webhooks } = await client.webhooks.list();
  const [only, ...others] = webhooks;
  if (only === undefined)
    throw usageError('There is no webhook to ping', '`svc webhooks create --url https://...` adds one.');
  if (others.length === 0) return only.id;
  const ids = webhooks.map(({ id }) => id).join(', ');
  throw usageError('There are several webhooks', `Add --webhook ID. Webhooks: ${ids}`);
}

export interface DetailFlags {
  readonly connection?: number | undefined;
  readonly source?: number | undefined;
  readonly summary?: string | undefined;
  readonly data?: string | undefined;
}

/** Returns the details of an event; undefined if no flags are given. @throws CliError (exit 2) */
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
