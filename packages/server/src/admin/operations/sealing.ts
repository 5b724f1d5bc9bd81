import type { SecretPlace } from '../../secrets/secret-box.ts';
import { type SealedSample, sampleSealedSecrets } from '../../secrets/stored-secrets.ts';
import type { Db } from '../../store/database/db.ts';
import { conflict } from './admin-error.ts';
import type { AdminContext } from './operation.ts';

/**
 * Encrypts a secret to be stored. A process with a key that the servers do not have would store secrets that they
 * cannot decrypt, so it must be able to decrypt an existing one.
 *
 * @throws AdminError when stored secrets cannot be decrypted here
 */
export async function seal(ctx: AdminContext, tx: Db, plain: string, place: SecretPlace): Promise<string> {
  const samples = await sampleSealedSecrets(tx);
  const isForeign = samples.length > 0 && !samples.some((sample) => canDecrypt(ctx, sample));
  if (isForeign) {
    throw conflict(
      'The secrets in this database were encrypted with another key: set SVC_ENCRYPTION_KEY to the value that the server has. Run svc-server doctor for details.',
    );
  }
  return ctx.secrets.encrypt(plain, place);
}

function canDecrypt(ctx: AdminContext, { sealed, place }: SealedSample): boolean {
  try {
    ctx.secrets.decrypt(sealed, place);
    return true;
  } catch {
    return false;
  }
}
