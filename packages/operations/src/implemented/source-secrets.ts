/** Secrets that posts to a source must carry. A change applies to all servers within five seconds (`inbound/known-paths.ts`). */
import { newSecret, SECRET_RANDOM_BYTES } from '@svc/domain/values/resource-ids';
import { hasSignedTime, type SourceSecret, STANDARD_WEBHOOKS_HEADER } from '@svc/domain/syncs/source-secret';
import { parseDuration } from '@svc/domain/values/duration';
import { documentedCheck, newStandardSecret, toStandardKey } from '@svc/sequencers/authenticity';
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
import type { InputOf } from '../declared/declare.ts';
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
  const { current, kept, isLost, generated } = await ctx.db.transaction(async (tx) => {
    const row = existing(await lockSourceSecrets(tx, input.id), 'source', input.id);
    const chosen = selectCheck(row.platform, input);
    const made = input.secret === undefined ? makeSecret(ctx, chosen) : null;
    const value = input.secret ?? made ?? '';
    if (chosen.check === 'standard-webhooks' && toStandardKey(value) === null) {
      throw invalidInput(
        'secret: a secret of Standard Webhooks is base64, after whsec_: copy it again from the sequencer',
      );
    }
    const next: StoredSourceSecret = { ...chosen, secret: value, validUntil: null };
    const before = row.requiresSecret ? openStored(ctx, row) : [];
    const old = replaced(before ?? [], next, { keptUntil, now });
    const sealed = await seal(ctx, tx, JSON.stringify([next, ...old]), { kind: 'source secret', id: input.id });
    await updateRow(tx, 'sources', input.id, { secrets: sealed, requiresSecret: true });
    await countSecretsVersion(tx);
    return { current: next, kept: old, isLost: before === null, generated: made };
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

function makeSecret({ randomBytes }: AdminContext, { check }: Pick<SourceSecret, 'check'>): string {
  const random = randomBytes(SECRET_RANDOM_BYTES);
  return check === 'standard-webhooks' ? newStandardSecret(random) : newSecret('', random);
}

/** The inputs that say how a secret is checked. */
type CheckOptions = Pick<
  InputOf<typeof declared.setSourceSecret>,
  'header' | 'hmacHeader' | 'timedHmacHeader' | 'standardWebhooks' | 'tolerance'
>;

/** @throws AdminError when the platform documents nothing and no header is named */
export function selectCheck(platform: string, { tolerance, ...named }: CheckOptions): Omit<SourceSecret, 'secret'> {
  const { header: plain, hmacHeader, timedHmacHeader, standardWebhooks } = named;
  const options = Object.entries(named).flatMap(([option, value]) =>
    value !== undefined && value !== false && CHECK_OPTIONS.includes(option) ? [option] : [],
  );
  if (options.length > 1) throw invalidInput(`${options[0]}: use either ${options.join(' or ')}`);
  const chosen =
    plain !== undefined
      ? { check: 'header' as const, name: plain }
      : hmacHeader !== undefined
        ? { check: 'hmac-sha256' as const, name: hmacHeader }
        : timedHmacHeader !== undefined
          ? { check: 'timed-hmac-sha256' as const, name: timedHmacHeader }
          : standardWebhooks === true
            ? { check: 'standard-webhooks' as const, name: STANDARD_WEBHOOKS_HEADER }
            : documentedCheck(platform);
  if (chosen === null) {
    throw invalidInput(
      `header: no signature of ${platform} is documented. Name a header that it sends with every post: --header X-Webhook-Secret`,
    );
  }
  if (tolerance === undefined) return chosen;
  if (!hasSignedTime(chosen.check)) {
    throw invalidInput(`tolerance: is for signatures with a time, and ${chosen.name} has none`);
  }
  return { ...chosen, toleranceSeconds: Math.floor((parseDuration(tolerance) ?? 0) / 1_000) };
}

const CHECK_OPTIONS = ['header', 'hmacHeader', 'timedHmacHeader', 'standardWebhooks'];

/** Returns a check as configuration files compare it: `header x-webhook-secret`. */
export function describeCheck({ check, name: where, toleranceSeconds }: Omit<SourceSecret, 'secret'>): string {
  return [check, where, ...(toleranceSeconds === undefined ? [] : [`${toleranceSeconds}s`])].join(' ');
}

/** Returns the inputs that select a described check on a platform. */
export function toCheckOptions(platform: string, described: string): CheckOptions {
  const [check, where, tolerance] = described.split(' ');
  const age = tolerance === undefined ? {} : { tolerance };
  const documented = documentedCheck(platform);
  if (documented?.check === check && documented?.name === where) return age;
  if (check === 'header') return { header: where };
  if (check === 'hmac-sha256') return { hmacHeader: where };
  if (check === 'timed-hmac-sha256') return { timedHmacHeader: where, ...age };
  return check === 'standard-webhooks' ? { standardWebhooks: true, ...age } : {};
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
