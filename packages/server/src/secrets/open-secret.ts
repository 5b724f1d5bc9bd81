import type { Logger } from 'pino';
import type { SecretBox, SecretPlace } from './secret-box.ts';
import { sampleSealedSecrets } from './stored-secrets.ts';
import type { Db } from '../store/database/db.ts';

/**
 * Decrypts a stored secret; null when this server's keys cannot. A retry would not help until the key is configured, so
 * jobs report the failure instead of throwing. The log names the missing key.
 */
export function openSecret(
  { secrets, log }: { secrets: SecretBox; log: Logger },
  sealed: string,
  place: SecretPlace,
): string | null {
  try {
    return secrets.decrypt(sealed, place);
  } catch (error) {
    log.error({ err: error, ...place }, 'a stored secret cannot be decrypted; run svc-server doctor for details');
    return null;
  }
}

/** Advice for a missing key; callers append an alternative such as "or connect the CRM again". */
export const RESTORE_KEY = 'set SVC_ENCRYPTION_KEY to the key it was encrypted with';

/** Logs at the start every kind of stored secret that this server's keys cannot decrypt. The server starts anyway. */
export async function logUnreadableSecrets({
  db,
  secrets,
  log,
}: {
  db: Db;
  secrets: SecretBox;
  log: Logger;
}): Promise<void> {
  for (const { place, sealed } of await sampleSealedSecrets(db)) {
    try {
      secrets.decrypt(sealed, place);
    } catch (error) {
      log.error(
        { err: error, kind: place.kind },
        `stored secrets cannot be decrypted, and jobs that need them fail: ${RESTORE_KEY}`,
      );
    }
  }
}
