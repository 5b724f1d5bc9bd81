import type { SecretPlace } from '@svc/engine/secrets/secret-box';
import { findUnreadable } from '@svc/engine/secrets/open-secret';
import type { Db } from '@svc/engine/store/database/db';
import { listServerKeys } from '@svc/engine/store/server-keys';
import { conflict } from './admin-error.ts';
import type { AdminContext } from './operation.ts';

/**
 * Encrypts a secret to be stored. A process with a key that the servers do not have would store secrets that they
 * cannot decrypt, so it must be able to decrypt an existing one, and the running servers must have its first key.
 *
 * @throws AdminError when stored secrets cannot be decrypted here, or this one could not be decrypted by a server
 */
export async function seal(ctx: AdminContext, tx: Db, plain: string, place: SecretPlace): Promise<string> {
  const { isEverything } = await findUnreadable({ db: tx, secrets: ctx.secrets });
  if (isEverything) {
    throw conflict(
      'The secrets in this database were encrypted with another key: set SVC_ENCRYPTION_KEY to the value that the server has. Run svc-server doctor for details. If the key is lost: svc-server secrets discard.',
    );
  }
  // Servers of an earlier release do not say which keys they have, and work beside this one during an update.
  const servers = await listServerKeys(tx);
  assertKnown(
    ctx,
    servers.filter((keys) => keys.length > 0),
  );
  return ctx.secrets.encrypt(plain, place);
}

/**
 * Asserts that all secrets may be encrypted with the first key: every server that runs has it, so that it can decrypt
 * them.
 *
 * @param options.firstKey the id of the first key of the command, which may run in another process than this operation
 * @throws AdminError otherwise
 */
export async function assertMayReencrypt(
  ctx: AdminContext,
  { firstKey }: { firstKey: string | undefined },
): Promise<void> {
  const [ownKey] = ctx.secrets.keyIds;
  if (firstKey !== undefined && ownKey !== undefined && firstKey !== ownKey) {
    const isKnown = ctx.secrets.keyIds.includes(firstKey);
    throw conflict(
      `The running server ${isKnown ? 'does not encrypt with' : 'does not know'} the first key of SVC_ENCRYPTION_KEY (${firstKey}), so nothing was changed: set SVC_ENCRYPTION_KEY of the server to the same value, restart it, then repeat this command.`,
    );
  }
  assertKnown(ctx, await listServerKeys(ctx.db));
}

function assertKnown(ctx: AdminContext, servers: readonly (readonly string[])[]): void {
  const [key] = ctx.secrets.keyIds;
  const without = key === undefined ? 0 : servers.filter((keys) => !keys.includes(key)).length;
  if (without === 0) return;
  throw conflict(
    `${without} of ${servers.length} running servers do not know the first key of SVC_ENCRYPTION_KEY (${key}), so they could not decrypt what it encrypts. Nothing was changed: set SVC_ENCRYPTION_KEY=OLD,NEW on every server and restart each, then NEW,OLD, then repeat this command (svc-server secrets reencrypt --help).`,
  );
}
