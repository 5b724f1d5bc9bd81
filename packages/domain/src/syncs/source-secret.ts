/**
 * How a post proves that it comes from the sequencer of a source. `verifyPost` in `packages/sequencers` implements the checks:
 *
 * - `header`: the header `name` holds the secret.
 * - `hmac-sha256`, `hmac-sha1`: the header `name` holds the HMAC of the raw body; the key is the secret.
 * - `timed-hmac-sha256`: the header `name` holds a time and the HMAC of the time, a dot and the raw body: `t=1614265330,v1=<hex>`.
 * - `standard-webhooks`: the headers of https://www.standardwebhooks.com; the secret is base64 after `whsec_`.
 * - `body`: the field `name` of the body holds the secret.
 */
export const SECRET_CHECKS = [
  'header',
  'hmac-sha256',
  'hmac-sha1',
  'timed-hmac-sha256',
  'standard-webhooks',
  'body',
] as const;
export type SecretCheck = (typeof SECRET_CHECKS)[number];

export interface SourceSecret {
  readonly check: SecretCheck;
  /** Name of the header in lower case, or of the field of the body. */
  readonly name: string;
  /** In clear text. */
  readonly secret: string;
  /** Largest distance between a signed time and the clock of the server, either way; without it, five minutes. */
  readonly toleranceSeconds?: number | undefined;
}

/** The header of Standard Webhooks that holds the signatures. */
export const STANDARD_WEBHOOKS_HEADER = 'webhook-signature';

/** Whether the signature of a check has a time. */
export function hasSignedTime(check: SecretCheck): boolean {
  return check === 'timed-hmac-sha256' || check === 'standard-webhooks';
}

/** Returns the headers that hold a secret itself, in lower case. They are not stored. */
export function secretHeaders(secrets: readonly SourceSecret[]): string[] {
  return secrets.filter(({ check }) => check === 'header').map(({ name }) => name);
}
