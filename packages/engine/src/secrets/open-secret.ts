import type { Logger } from 'pino';
import { keyIdOf, type SecretBox, type SecretPlace } from './secret-box.ts';
import { sampleSealedSecrets } from './stored-secrets.sql.ts';
import type { Db } from '../store/database/db.ts';

/**
 * Decrypts a stored secret; null when this server's keys cannot. The log names the missing key. A job then asks
 * `Context.assertKeys` before it reports the failure.
 *
 * @param ctx.onUnreadable called when it cannot be decrypted
 */
export function openSecret(
  { secrets, log, onUnreadable }: { secrets: SecretBox; log: Logger; onUnreadable?: (() => void) | undefined },
  sealed: string,
  place: SecretPlace,
): string | null {
  try {
    return secrets.decrypt(sealed, place);
  } catch (error) {
    log.error({ err: error, ...place }, 'a stored secret cannot be decrypted; run svc-server doctor for details');
    onUnreadable?.();
    return null;
  }
}

/** Advice for a missing key; callers append an alternative such as "or connect the CRM again". */
export const RESTORE_KEY = 'set SVC_ENCRYPTION_KEY to the key it was encrypted with';

export interface Unreadable {
  /** For example `CRM token: A stored secret was encrypted with key 1a2b3c4d, which is not configured.` */
  problems: string[];
  /** The ids of the keys that are not configured here. */
  missingKeys: string[];
  /** Whether secrets are stored and none of them can be decrypted: the key is another one. */
  isEverything: boolean;
}

/** Tries one secret of every kind and key. */
export async function findUnreadable({ db, secrets }: { db: Db; secrets: SecretBox }): Promise<Unreadable> {
  const samples = await sampleSealedSecrets(db);
  const problems = samples.flatMap(({ place, sealed }) => {
    try {
      secrets.decrypt(sealed, place);
      return [];
    } catch (error) {
      return [`${place.kind}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  const missingKeys = [...new Set(samples.map(({ sealed }) => keyIdOf(sealed)))].filter(
    (key) => !secrets.keyIds.includes(key),
  );
  return { problems, missingKeys, isEverything: samples.length > 0 && problems.length === samples.length };
}
