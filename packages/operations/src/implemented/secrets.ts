import { describePlace, SECRET_COLUMNS, type SecretKind, type SecretPlace } from '@svc/engine/secrets/secret-box';
import {
  discardSealedSecret,
  listSealedSecrets,
  replaceSealedSecret,
  type SealedSecret,
} from '@svc/engine/secrets/stored-secrets.sql';
import { countSecretsVersion } from '@svc/engine/store/source-secrets';
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/values/resource-ids';
import * as declared from '../declared/secrets.ts';
import { AdminError } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertMayReencrypt } from './sealing.ts';

/** Few enough to keep each statement short. */
const BATCH = 200;

type Reencrypted = { reencrypted: number; current: number; unreadable: declared.SecretOfRow[] };

/** It may run beside servers, be interrupted, and run again: each secret is replaced on its own, and only if it has not changed since it was read. */
export const reencryptSecrets = implement(declared.reencryptSecrets, async (ctx, { firstKey }) => {
  await assertMayReencrypt(ctx, { firstKey });
  const result: Reencrypted = { reencrypted: 0, current: 0, unreadable: [] };
  for await (const { kind, ...secret } of listAll(ctx)) await reencrypt(ctx, kind, secret, result);
  // A server may be able to decrypt them now.
  if (result.reencrypted > 0) await countSecretsVersion(ctx.db);
  return result;
});

export const discardSecrets = implement(declared.discardSecrets, async (ctx, { isConfirmed }) => {
  const discarded: declared.SecretOfRow[] = [];
  for await (const { kind, id, sealed } of listAll(ctx)) {
    const place = { kind, id };
    if (canDecrypt(ctx, sealed, place)) continue;
    if (isConfirmed) {
      const secret = newSecret(ctx.branding.secretPrefix, ctx.randomBytes(SECRET_RANDOM_BYTES));
      const replacement = ctx.secrets.encrypt(secret, place);
      if (!(await discardSealedSecret(ctx.db, place, { sealed, replacement, at: ctx.clock.now() }))) continue;
    }
    discarded.push(place);
  }
  if (!isConfirmed && discarded.length > 0) {
    const list = discarded.slice(0, NAMED_MAX).map(describePlace);
    const more = discarded.length > NAMED_MAX ? ` and ${discarded.length - NAMED_MAX} more` : '';
    throw new AdminError(
      'not_confirmed',
      `Secrets that cannot be decrypted: ${list.join(', ')}${more}. If you have their key, set SVC_ENCRYPTION_KEY to it instead. Nothing is deleted yet: confirm with --yes.`,
    );
  }
  return { discarded };
});

const NAMED_MAX = 10;

function canDecrypt(ctx: AdminContext, sealed: string, place: SecretPlace): boolean {
  try {
    ctx.secrets.decrypt(sealed, place);
    return true;
  } catch {
    return false;
  }
}

async function* listAll(ctx: AdminContext): AsyncIterable<SealedSecret & { kind: SecretKind }> {
  for (const kind of Object.keys(SECRET_COLUMNS) as SecretKind[]) {
    let last: SealedSecret['id'] | null = null;
    for (;;) {
      const batch: SealedSecret[] = await listSealedSecrets(ctx.db, kind, { after: last, limit: BATCH });
      for (const secret of batch) yield { kind, ...secret };
      last = batch.at(-1)?.id ?? null;
      if (batch.length < BATCH) break;
    }
  }
}

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
