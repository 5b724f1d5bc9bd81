import { setTimeout } from 'node:timers/promises';
import type { PlatformEvent, TailParams } from '@svc/sdk';
import { createWebhookHeaders } from '@svc/sdk/webhooks';
import { PREFIXES } from '@svc/contract/vocabulary';
import { toErrorReport } from '../../../command/map-error.ts';
import type { ForwardedEvent } from './forwarded-event.ts';
import type { ListenOutput } from './output.ts';
import { postLocally } from './post-locally.ts';

/** Between two attempts at a local server that is not there. */
const LOCAL_RETRY_MS = 2000;

export interface Polling {
  readonly open: (params: TailParams) => AsyncIterable<PlatformEvent>;
  /** Null: with what comes after the first look. */
  readonly sinceMs: number | null;
  readonly forwardTo: string;
  readonly secret: string;
  readonly headerPrefix: string;
  readonly intervalMs: number;
  /** Go on with the next event when no answer comes. */
  readonly skipsErrors: boolean;
  readonly output: ListenOutput;
}

/**
 * Looks at the event log and forwards what is new, one event after the other, as the service's own deliveries, until a signal.
 *
 * @throws what the first look fails with; later what says that the key or the address are no good
 */
export async function listenByPolling(polling: Polling): Promise<void> {
  const { open, sinceMs, intervalMs, output } = polling;
  let forwardedCount = 0;
  let looks = '';
  const showStatus = () => output.status(`${forwardedCount} forwarded; ${looks}`);
  const events = open({
    since: sinceMs === null ? undefined : new Date(sinceMs),
    intervalMs,
    onLook() {
      looks = `a look every ${intervalMs / 1000} s, the last at ${new Date().toISOString().slice(11, 19)}Z`;
      showStatus();
    },
    onTrouble: (error, delayMs) =>
      output.note(`The events cannot be seen: ${toErrorReport(error).message}. Tries again in ${delayMs / 1000} s`),
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
  // The envelope of the specification, its fields in the service's order.
  const payload = new TextEncoder().encode(JSON.stringify({ id, type, created: createdAt, summary, data }));
  const deliveryId = id.replace(PREFIXES.event, PREFIXES.webhookDelivery);
  for (let attempts = 1; ; attempts += 1) {
    // Signed at each attempt, as the service does it: the time in it is that of the attempt.
    const headers = await createWebhookHeaders({ payload, secret, eventId: id, deliveryId, headerPrefix });
    const result = await postLocally(forwardTo, payload, headers);
    if (result.httpStatus !== null || skipsErrors) {
      return { eventId: id, type, createdAt, summary, deliveryId, ...result, attempts };
    }
    if (attempts === 1)
      output.note(`${forwardTo}: ${result.error}. Event ${id} waits for it, and so do those after it`);
    await setTimeout(LOCAL_RETRY_MS);
  }
}
