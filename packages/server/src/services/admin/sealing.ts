import type { SecretPlace } from '../../secrets.ts';
import { type SealedSample, sampleSealedSecrets } from '../../store/admin/sealed-secrets.ts';
import type { Db } from '../../store/db.ts';
import { conflict } from './admin-error.ts';
import type { AdminContext } from './operation.ts';

/**
 * Encrypts a secret that is about to be stored. A process with other key material than the servers would store what they
 * cannot read, so it must be able to read what is there.
 *
 * @throws AdminError when what is stored cannot be decrypted here
 */
export async function seal(ctx: AdminContext, tx: Db, plain: string, place: SecretPlace): Promise<string> {
  const samples = await sampleSealedSecrets(tx);
  const isForeign = samples.length > 0 && !samples.some((sample) => canDecrypt(ctx, sample));
  if (isForeign) {
    throw conflict(
      'The secrets in this database were encrypted with another key: set SVC_ENCRYPTION_KEY to the value that the server has. svc-server doctor says more.',
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
