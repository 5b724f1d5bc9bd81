/** Secrets that posts to a source must carry. A change applies to all servers within five seconds (`inbound/known-paths.ts`). */
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/values/resource-ids';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { documentedCheck } from '@svc/sequencers/authenticity';
import { parseSourceSecrets, type StoredSourceSecret, validSecrets } from '@svc/engine/secrets/source-secrets';
import { updateRow } from '@svc/engine/store/database/rows';
import {
  countSecretsVersion,
  listRefusals,
  listSourceSecrets,
  lockSourceSecrets,
  type StoredSecrets,
} from '@svc/engine/store/source-secrets';
import * as declared from '../declared/sources.ts';
import { existing, invalidInput } from './admin-error.ts';
import { parseOperatorInstant } from './instants.ts';
import { type AdminContext, implement } from './operation.ts';
import { seal } from './sealing.ts';

const REFUSED_DAYS_MS = 6 * 24 * 60 * 60_000;

export async function readAuthenticity(
  ctx: AdminContext,
  sourceIds: readonly number[],
): Promise<(sourceId: number) => declared.SourceAuthenticity> {
  const now = ctx.clock.now();
  const stored = await listSourceSecrets(ctx.db, sourceIds);
  const refusals = await listRefusals(ctx.db, new Date(now.getTime() - REFUSED_DAYS_MS), sourceIds);
  return (sourceId) => {
    const row = stored.get(sourceId);
    const list = row?.requiresSecret === true ? openStored(ctx, row) : [];
    const refused = refusals.filter((each) => each.sourceId === sourceId);
    return {
      secret: list === null ? 'unreadable' : list.length === 0 ? 'off' : 'on',
      accepted: validSecrets(list ?? [], now).map(({ secret: _secret, ...shown }) => shown),
      refused: refused.map(({ sourceId: _id, ...counts }) => counts),
    };
  };
}

/** Returns the stored secrets; null when they cannot be decrypted. */
export function openStored(ctx: AdminContext, { sourceId, sealed }: StoredSecrets): StoredSourceSecret[] | null {
  if (sealed === null) return null;
  try {
    return parseSourceSecrets(ctx.secrets.decrypt(sealed, { kind: 'source secret', id: sourceId }));
  } catch {
    return null;
  }
}

const KEEP_OLD_MAX_MS = 90 * 24 * 60 * 60_000;

export const setSourceSecret = implement(declared.setSourceSecret, async (ctx, input) => {
  const now = ctx.clock.now();
  const keptUntil = parseOperatorInstant('keepOld', input.keepOld, { now, ages: 'future' });
  if (keptUntil < now || keptUntil.getTime() - now.getTime() > KEEP_OLD_MAX_MS) {
    throw invalidInput('keepOld: must be 0s to 90d from now');
  }
  const generated = input.secret === undefined ? newSecret('', ctx.randomBytes(SECRET_RANDOM_BYTES)) : null;
  const value = input.secret ?? generated ?? '';
  const { current, kept, isLost } = await ctx.db.transaction(async (tx) => {
    const row = existing(await lockSourceSecrets(tx, input.id), 'source', input.id);
    const next: StoredSourceSecret = { ...selectCheck(row.platform, input), secret: value, validUntil: null };
    const before = row.requiresSecret ? openStored(ctx, row) : [];
    const old = replaced(before ?? [], next, { keptUntil, now });
    const sealed = await seal(ctx, tx, JSON.stringify([next, ...old]), { kind: 'source secret', id: input.id });
    await updateRow(tx, 'sources', input.id, { secrets: sealed, requiresSecret: true });
    await countSecretsVersion(tx);
    return { current: next, kept: old, isLost: before === null };
  });
  const notices = isLost ? ['The earlier secret could not be decrypted, so it is no longer accepted.'] : [];
  const { check, name: where } = current;
  return { id: input.id, check, name: where, keptUntil: kept[0]?.validUntil ?? null, generated, notices };
});

/** Returns the secrets that stay valid beside the new one, each until `keptUntil` or its own end. */
function replaced(
  before: readonly StoredSourceSecret[],
  next: SourceSecret,
  { keptUntil, now }: { keptUntil: Date; now: Date },
): StoredSourceSecret[] {
  if (keptUntil <= now) return [];
  const others = validSecrets(before, now).filter(
    ({ check, name: where, secret: value }) => check !== next.check || where !== next.name || value !== next.secret,
  );
  // The newest replaced one only: two secrets are valid at a time.
  return others.slice(0, 1).map((old) => {
    const end =
      old.validUntil === null ? keptUntil : new Date(Math.min(Date.parse(old.validUntil), keptUntil.getTime()));
    return { ...old, validUntil: end.toISOString() };
  });
}

/** @throws AdminError when the platform documents nothing and no header is named */
export function selectCheck(
  platform: string,
  { header: plain, hmacHeader }: { header?: string | undefined; hmacHeader?: string | undefined },
): Omit<SourceSecret, 'secret'> {
  if (plain !== undefined && hmacHeader !== undefined) throw invalidInput('header: use either header or hmacHeader');
  if (plain !== undefined) return { check: 'header', name: plain };
  if (hmacHeader !== undefined) return { check: 'hmac-sha256', name: hmacHeader };
  const documented = documentedCheck(platform);
  if (documented !== null) return documented;
  throw invalidInput(
    `header: no signature of ${platform} is documented. Name a header that it sends with every post: --header X-Webhook-Secret`,
  );
}

export const removeSourceSecret = implement(declared.removeSourceSecret, async (ctx, { id: sourceId }) => {
  const hadSecret = await ctx.db.transaction(async (tx) => {
    const row = existing(await lockSourceSecrets(tx, sourceId), 'source', sourceId);
    await updateRow(tx, 'sources', sourceId, { secrets: null, requiresSecret: false });
    await countSecretsVersion(tx);
    return row.requiresSecret;
  });
  return { id: sourceId, hadSecret };
});
