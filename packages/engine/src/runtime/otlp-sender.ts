/** Posts encoded spans to a collector. What the collector does not take is given up, with one line in the log per outage. */
import { forwardAbort } from '@svc/domain/network/forward-abort';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config/telemetry-config.ts';
import type { Clock } from './clock.ts';

export interface OtlpSender {
  /** Returns whether the collector took them. Never rejects. */
  send(body: Uint8Array): Promise<boolean>;
  /** Gives up what is under way and what follows. */
  abort(): void;
}

export interface OtlpSenderParts {
  log: Logger;
  clock: Pick<Clock, 'setTimer'>;
  fetch: typeof globalThis.fetch;
}

/** Answers after which OTLP asks to try again. */
const RETRIED = new Set([429, 502, 503, 504]);
const RETRY_AFTER_MS = 1_000;

/**
 * Posts one message.
 *
 * @returns the status of the answer; null without one
 */
export async function postToCollector(
  { url, headers, protocol, isCompressed }: TelemetryConfig,
  body: Uint8Array,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<number | null> {
  try {
    const encoded = isCompressed ? await promisify(gzip)(body) : body;
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
        ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
      },
      body: new Uint8Array(encoded),
      // The headers may hold a token.
      redirect: 'manual',
      signal,
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

export function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function createOtlpSender(config: TelemetryConfig, { log, clock, fetch }: OtlpSenderParts): OtlpSender {
  const stopping = new AbortController();
  let isFailing = false;

  function waitForRetry(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.setTimer(end, RETRY_AFTER_MS);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  function report(status: number | null): boolean {
    const isSent = isTaken(status);
    if (stopping.signal.aborted || isSent !== isFailing) return isSent;
    isFailing = !isSent;
    const fields = { collector: new URL(config.url).origin, status };
    if (isSent) log.info(fields, 'the collector takes traces again');
    else
      log.warn(fields, 'the collector does not take traces: their spans are lost until it does, and nothing else is');
    return isSent;
  }

  return {
    async send(body) {
      const limit = new AbortController();
      const cancelLimit = clock.setTimer(() => limit.abort(), config.timeoutMs);
      const { signal } = limit;
      const endCall = forwardAbort(limit, [stopping.signal]);
      try {
        let status = await postToCollector(config, body, { fetch, signal });
        if (!signal.aborted && (status === null || RETRIED.has(status))) {
          await waitForRetry(signal);
          if (!signal.aborted) status = await postToCollector(config, body, { fetch, signal });
        }
        return report(status);
      } finally {
        cancelLimit();
        endCall();
      }
    },
    abort: () => stopping.abort(),
  };
}
