import { toSecond } from '../../../format/times.ts';
import { setTimeout } from 'node:timers/promises';
import type { PlatformEvent, TailParams } from '@svc/sdk';
import { createWebhookHeaders } from '@svc/sdk/webhooks';
import { PREFIXES } from '@svc/contract/vocabulary';
import { toErrorReport } from '../../../command/map-error.ts';
import type { ForwardedEvent } from './forwarded-event.ts';
import type { ListenOutput } from './output.ts';
import { postLocally } from './post-locally.ts';

/** Delay between attempts while the local server does not answer. */
const LOCAL_RETRY_MS = 2000;

export interface Polling {
  readonly open: (params: TailParams) => AsyncIterable<PlatformEvent>;
  /** Null: new events only. */
  readonly sinceMs: number | null;
  readonly forwardTo: string;
  readonly secret: string;
  readonly headerPrefix: string;
  readonly intervalMs: number;
  /** Skip an event if nothing answers. */
  readonly skipsErrors: boolean;
  readonly output: ListenOutput;
}

/**
 * Polls the event log and forwards new events one by one, like deliveries of the service, until a signal.
 *
 * @throws the error of the first request; later only errors that are not retryable
 */
export async function listenByPolling(polling: Polling): Promise<void> {
  const { open, sinceMs, intervalMs, output } = polling;
  let forwardedCount = 0;
  let pollState = '';
  const showStatus = () => output.status(`${forwardedCount} forwarded; ${pollState}`);
  const events = open({
    since: sinceMs === null ? undefined : new Date(sinceMs),
    intervalMs,
    onLook() {
      pollState = `polling every ${intervalMs / 1000} s, last at ${toSecond(new Date().toISOString()).slice('YYYY-MM-DD '.length)}`;
      showStatus();
    },
    onTrouble: (error, delayMs) => output.retry(`Cannot read events: ${toErrorReport(error).message}`, delayMs),
    onRecovery: () => output.note('The service answers again.'),
  });
  for await (const event of events) {
    await output.event(await forward(event, polling));
    forwardedCount += 1;
    showStatus();
  }
}

async function forward(event: PlatformEvent, polling: Polling): Promise<ForwardedEvent> {
  const { forwardTo, secret, headerPrefix, skipsErrors, output } = polling;
  const { id, type, summary, data, createdAt } = event;
  // The body of a webhook as the contract has it, with the service's order of fields.
  const payload = new TextEncoder().encode(JSON.stringify({ id, type, created: createdAt, summary, data }));
  const deliveryId = id.replace(PREFIXES.event, PREFIXES.webhookDelivery);
  for (let attempts = 1; ; attempts += 1) {
    // Like the service, signs each attempt with its own time.
    const headers = await createWebhookHeaders({ payload, secret, eventId: id, deliveryId, headerPrefix });
    const result = await postLocally(forwardTo, payload, headers);
    if (result.httpStatus !== null || skipsErrors) {
      return { eventId: id, type, createdAt, summary, deliveryId, ...result, attempts };
    }
    if (attempts === 1) output.note(`${forwardTo}: ${result.error}. Event ${id} waits until it answers`);
    await setTimeout(LOCAL_RETRY_MS);
  }
}
