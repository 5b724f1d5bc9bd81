import type { Logger } from 'pino';
import type { SecretBox, SecretPlace } from './secrets.ts';
import { sampleSealedSecrets } from './store/admin/sealed-secrets.ts';
import type { Db } from './store/db.ts';

/**
 * A stored secret in clear text; null when this server's keys do not open it. Asking again changes nothing until somebody gives
 * the server the right key, so a job tells its failure instead of throwing. The log says which key is missing.
 */
export function openSecret(
  { secrets, log }: { secrets: SecretBox; log: Logger },
  sealed: string,
  place: SecretPlace,
): string | null {
  try {
    return secrets.decrypt(sealed, place);
  } catch (error) {
    log.error({ err: error, ...place }, 'a stored secret cannot be decrypted; svc-server doctor says more');
    return null;
  }
}

/** What to do about it, to be continued: "or connect the CRM again". */
export const RESTORE_KEY = 'set SVC_ENCRYPTION_KEY to the key it was encrypted with';

/** Logs, at the start, every kind of stored secret that this server's keys do not open. The server runs all the same. */
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
        `stored secrets cannot be decrypted, and what needs them fails: ${RESTORE_KEY}`,
      );
    }
  }
}
