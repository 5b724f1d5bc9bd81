import { createWebhookHeaders } from '@svc/sdk/webhooks';
import { usageError } from '../../errors/cli-error.ts';
import { parseMoment } from '../../command/time-range.ts';
import { shellQuote } from '../../format/shell-quote.ts';

export interface SignOptions {
  readonly payload: Uint8Array;
  readonly secret: string;
  /** The value of `--timestamp`. */
  readonly timestamp: string | undefined;
  readonly eventId: string | undefined;
  readonly deliveryId: string | undefined;
  readonly headerPrefix: string;
  readonly nowMs: number;
}

/** Creates the headers of a delivery of this body. */
export function signDelivery({ timestamp, eventId, nowMs, ...options }: SignOptions): Promise<Record<string, string>> {
  return createWebhookHeaders({
    ...options,
    eventId: checkId(eventId, '--id') ?? eventIdIn(options.payload),
    deliveryId: checkId(options.deliveryId, '--delivery-id'),
    timestampSeconds: timestamp === undefined ? Math.floor(nowMs / 1000) : parseTimestamp(timestamp, nowMs),
  });
}

/** Parses seconds since 1970, or a time. */
function parseTimestamp(text: string, nowMs: number): number {
  if (/^\d+$/.test(text)) return Number(text);
  const seconds = Math.floor(parseMoment(text, nowMs, 'start') / 1000);
  if (seconds >= 0) return seconds;
  throw usageError('--timestamp is before 1970');
}

/** @throws CliError (exit 2) for an id that is not valid in a header */
function checkId(id: string | undefined, flag: string): string | undefined {
  if (id === undefined || /^[\x21-\x7e]+$/.test(id)) return id;
  throw usageError(`${flag} must consist of ASCII characters without spaces`);
}

/** Returns the id in the body, or undefined. */
function eventIdIn(payload: Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    return typeof id === 'string' && /^[\x21-\x7e]+$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

type Headers = Readonly<Record<string, string>>;

/** Formats headers for curl's `-H @FILE` and `webhooks verify --headers-file`. */
export function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

/** Returns a curl command. Uses `--data-binary`, because curl's other body flags change the body. */
export function curlCommand(headers: Headers, url: string, bodyFile: string): string {
  const flags = Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`);
  return `${['curl', ...flags, `--data-binary ${shellQuote(`@${bodyFile}`)}`, shellQuote(url)].join(' \\\n  ')}\n`;
}
