/** The secrets that posts to a source must carry, as they are stored: one encrypted JSON text per source. */
import type { SourceSecret } from '@svc/domain/syncs/source-secret';

export interface StoredSourceSecret extends SourceSecret {
  /** ISO-8601; null for the current secret, set for one that was replaced. */
  validUntil: string | null;
}

/** Parses the decrypted text. */
export function parseSourceSecrets(text: string): StoredSourceSecret[] {
  return JSON.parse(text);
}

/** Returns the secrets that are valid now. */
export function validSecrets(list: readonly StoredSourceSecret[], now: Date): StoredSourceSecret[] {
  return list.filter(({ validUntil }) => validUntil === null || new Date(validUntil) > now);
}
