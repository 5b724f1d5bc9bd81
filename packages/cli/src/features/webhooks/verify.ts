import { type WebhookEvent, type WebhookProblem, WebhookVerificationError, verifyWebhook } from '@svc/sdk/webhooks';
import { explainMismatch } from './explain-mismatch.ts';
import type { RecordLine } from '../../format/record.ts';

export interface Delivery {
  /** The raw bytes. */
  readonly body: Uint8Array;
  /** Value of the signature header, or null. */
  readonly header: string | null;
}

export interface VerificationRules {
  readonly secrets: readonly string[];
  /** Undefined: the SDK's default. */
  readonly toleranceSeconds: number | undefined;
  /** The time for checking the age, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The result of a receiver that uses the SDK. */
export interface Verification {
  readonly valid: boolean;
  readonly reason: WebhookProblem | null;
  /** What is wrong. */
  readonly message: string | null;
  /** What to check. */
  readonly hint: string | null;
  /** Time of the signature in the header; null if it cannot be read. */
  readonly signedAt: string | null;
  /** Age of the signature at the time of the check. */
  readonly ageSeconds: number | null;
  /** Null if it is not valid. */
  readonly event: WebhookEvent | null;
}

export async function verifyDelivery(delivery: Delivery, rules: VerificationRules): Promise<Verification> {
  const { body, header } = delivery;
  const { secrets, toleranceSeconds, nowMs } = rules;
  const timestampSeconds = readTimestamp(header);
  const timing = {
    signedAt: timestampSeconds === null ? null : toIso(timestampSeconds),
    ageSeconds: timestampSeconds === null ? null : Math.floor(nowMs / 1000 - timestampSeconds),
  };
  try {
    const event = await verifyWebhook({ payload: body, header, secrets, toleranceSeconds, now: () => nowMs });
    return { valid: true, reason: null, message: null, hint: null, ...timing, event };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { reason } = error;
    const message = error.hint === null ? error.message : error.message.replace(` ${error.hint}`, '');
    const hint = (await hintFor(reason, { ...delivery, secrets, timestampSeconds })) ?? error.hint;
    return { valid: false, reason, message, hint, ...timing, event: null };
  }
}

interface Circumstances extends Delivery {
  readonly secrets: readonly string[];
  readonly timestampSeconds: number | null;
}

/** Returns null if the SDK's own hint is best. */
async function hintFor(reason: WebhookProblem, { body, header, secrets, timestampSeconds }: Circumstances) {
  switch (reason) {
    case 'no_match':
      return explainMismatch({ body, header: header ?? '', secrets, timestampSeconds: timestampSeconds ?? 0 });
    case 'malformed_header':
      return 'Expected form: t=1769855400,v1=<64 hexadecimal digits>';
    case 'timestamp_in_future':
      return timestampSeconds !== null && timestampSeconds > 1e11
        ? 'Its t looks like milliseconds, but must be in seconds.'
        : null;
    case 'missing_header':
      return 'Its name ends in -Signature; --header-prefix sets the part before.';
    case 'timestamp_too_old':
      return 'For a saved delivery: --at TIME checks it at that time, --tolerance DURATION allows a higher age.';
    default:
      return null;
  }
}

function readTimestamp(header: string | null): number | null {
  const [, digits] = /(?:^|,)\s*t\s*=\s*(\d{1,15})\s*(?:,|$)/.exec(header ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Returns null beyond the year 9999. */
function toIso(seconds: number): string | null {
  return seconds < 253_402_300_800 ? new Date(seconds * 1000).toISOString() : null;
}

/** Returns the verdict and the details of the delivery. */
export function verificationLines({ valid, message, hint, signedAt, ageSeconds, event }: Verification): RecordLine[] {
  return [
    { label: 'Signature', ...(valid ? { text: 'valid', tone: 'good' } : { text: 'NOT VALID', tone: 'bad' }) },
    ...(message === null ? [] : [{ label: 'Problem', text: message }]),
    ...(hint === null ? [] : [{ label: 'Hint', text: hint }]),
    ...(signedAt === null || ageSeconds === null
      ? []
      : [{ label: 'Signed at', text: `${signedAt} (${describeAge(ageSeconds)})` }]),
    ...(event === null
      ? []
      : [
          { label: 'Event', text: event.id },
          { label: 'Type', text: event.type },
          { label: 'Summary', text: event.summary },
        ]),
  ];
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

function describeAge(seconds: number): string {
  const distance = Math.abs(seconds);
  const [size, unit] = UNITS.find(([each]) => distance >= 2 * each) ?? [1, 's'];
  return `${Math.floor(distance / size)} ${unit} ${seconds < 0 ? 'ahead' : 'ago'}`;
}
