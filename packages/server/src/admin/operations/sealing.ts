import type { SecretPlace } from '../../secrets/secret-box.ts';
import { findUnreadable } from '../../secrets/open-secret.ts';
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
  const { isEverything } = await findUnreadable({ db: tx, secrets: ctx.secrets });
  if (isEverything) {
    throw conflict(
      'The secrets in this database were encrypted with another key: set SVC_ENCRYPTION_KEY to the value that the server has. Run svc-server doctor for details. If the key is lost: svc-server secrets discard.',
    );
  }
  return ctx.secrets.encrypt(plain, place);
}
