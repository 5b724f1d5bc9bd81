/**
 * How a post proves that it comes from the sequencer of a source. `verifyPost` in `packages/sequencers` implements the checks:
 *
 * - `header`: the header `name` holds the secret.
 * - `hmac-sha256`, `hmac-sha1`: the header `name` holds the HMAC of the raw body; the key is the secret.
 * - `body`: the field `name` of the body holds the secret.
 */
export const SECRET_CHECKS = ['header', 'hmac-sha256', 'hmac-sha1', 'body'] as const;
export type SecretCheck = (typeof SECRET_CHECKS)[number];

export interface SourceSecret {
  readonly check: SecretCheck;
  /** Name of the header in lower case, or of the field of the body. */
  readonly name: string;
  /** In clear text. */
  readonly secret: string;
}

/** Returns the headers that hold a secret itself, in lower case. They are not stored. */
export function secretHeaders(secrets: readonly SourceSecret[]): string[] {
  return secrets.filter(({ check }) => check === 'header').map(({ name }) => name);
}
