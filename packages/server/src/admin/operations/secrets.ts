import * as z from 'zod';
import { SECRET_COLUMNS, type SecretKind } from '../../secrets/secret-box.ts';
import { listSealedSecrets, replaceSealedSecret, type SealedSecret } from '../../secrets/stored-secrets.ts';
import { type AdminContext, adminOperation } from './operation.ts';

/** Few enough to keep each statement short. */
const BATCH = 200;

export interface Reencrypted {
  /** Encrypted by this call. */
  reencrypted: number;
  /** Already encrypted with the first key and bound to their rows. */
  current: number;
  /** Not decryptable with the configured keys; unchanged. */
  unreadable: { kind: SecretKind; id: number | string }[];
}

/**
 * Re-encrypts every stored secret with the first key, bound to its row, so that other keys can be removed. It may run
 * beside servers, be interrupted, and run again: each secret is replaced on its own, and only if it has not changed
 * since it was read.
 */
export const reencryptSecrets = adminOperation(z.strictObject({}), async (ctx) => {
  const result: Reencrypted = { reencrypted: 0, current: 0, unreadable: [] };
  for (const kind of Object.keys(SECRET_COLUMNS) as SecretKind[]) {
    let last: SealedSecret['id'] | null = null;
    for (;;) {
      const batch: SealedSecret[] = await listSealedSecrets(ctx.db, kind, { after: last, limit: BATCH });
      for (const secret of batch) await reencrypt(ctx, kind, secret, result);
      last = batch.at(-1)?.id ?? null;
      if (batch.length < BATCH) break;
    }
  }
  return result;
});

async function reencrypt(
  ctx: AdminContext,
  kind: SecretKind,
  { id, sealed }: SealedSecret,
  result: Reencrypted,
): Promise<void> {
  const place = { kind, id };
  let plain: string;
  try {
    plain = ctx.secrets.decrypt(sealed, place);
  } catch {
    result.unreadable.push(place);
    return;
  }
  if (ctx.secrets.isCurrent(sealed)) result.current += 1;
  else if (await replaceSealedSecret(ctx.db, place, { before: sealed, after: ctx.secrets.encrypt(plain, place) })) {
    result.reencrypted += 1;
  }
}
