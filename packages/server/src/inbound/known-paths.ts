/**
 * Caches which inbound paths belong to a source, and the secrets that posts to it must carry. A known path stays cached until its
 * source is gone or secrets change. An unknown one is looked up again after a few seconds, so that a new source works soon
 * after its creation.
 *
 * Every change of secrets counts up a version in its transaction. The first post after five seconds reads the version, so a
 * change by any process is noticed by posts that arrive five seconds later.
 */
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import { openSecret } from '@svc/engine/secrets/open-secret';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import { parseSourceSecrets, type StoredSourceSecret } from '@svc/engine/secrets/source-secrets';
import type { Database } from '@svc/engine/store/database/db';
import { readSecretsVersion } from '@svc/engine/store/source-secrets';
import { FIND_PATHS, type FoundSource } from './known-paths.sql.ts';

export interface KnownSource {
  readonly id: number;
  /** Empty when posts need none; null when they need one, and none can be decrypted. */
  readonly secrets: readonly StoredSourceSecret[] | null;
}

export interface KnownPaths {
  /** Returns the source that has this path, or had it at the last look-up; null when there is none. */
  find(path: string): Promise<KnownSource | null>;
  /** Makes the next post to the path look it up again. */
  forget(path: string): void;
}

/** Number of cached paths of each kind; beyond it the oldest are looked up again. */
const PATHS_MAX = 10_000;
/** How long an unknown path is refused without a look-up. */
const UNKNOWN_MS = 5_000;
/** How long secrets are used without a look whether they have changed. */
const SECRETS_MS = 5_000;

type Found = ReadonlyMap<string, KnownSource>;

const NO_SECRETS: readonly StoredSourceSecret[] = [];

export interface KnownPathsOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  log: Logger;
  /** Called when a secret cannot be decrypted. */
  onUnreadable?: (() => void) | undefined;
}

export function createKnownPaths({ db, clock, ...box }: KnownPathsOptions): KnownPaths {
  const known = new Map<string, KnownSource>();
  /** When each path was found to have no source. */
  const unknownSinceMs = new Map<string, number>();
  let nextLookUp: { paths: Set<string>; found: Promise<Found> } | null = null;
  let lastEnd: Promise<unknown> = Promise.resolve();
  let version: string | null = null;
  let versionReadMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  /** Whether an instant is less than `ms` ago. One in the future is not: the clock was set back since. */
  function isWithin(sinceMs: number, ms: number): boolean {
    const elapsedMs = clock.now().getTime() - sinceMs;
    return elapsedMs >= 0 && elapsedMs < ms;
  }

  /** Forgets every source when secrets have changed. Posts that arrive meanwhile wait for the same look. */
  async function checkVersion(): Promise<void> {
    const startedMs = clock.now().getTime();
    const current = await readSecretsVersion(db);
    if (current !== version) known.clear();
    version = current;
    versionReadMs = startedMs;
  }

  /** Runs one statement at a time, so that guessing codes uses at most one database connection. */
  function lookUp(path: string): Promise<Found> {
    if (nextLookUp === null) {
      const paths = new Set<string>();
      const found = lastEnd.then(() => {
        nextLookUp = null;
        return findPaths([...paths]);
      });
      lastEnd = found.catch(() => {});
      nextLookUp = { paths, found };
    }
    nextLookUp.paths.add(path);
    return nextLookUp.found;
  }

  async function findPaths(paths: readonly string[]): Promise<Found> {
    const versionBefore = version;
    const { rows } = await db.query<FoundSource>(FIND_PATHS, [paths]);
    const found = new Map(rows.map((row) => [row.path, toKnownSource(row, box)]));
    const nowMs = clock.now().getTime();
    for (const path of paths) {
      const source = found.get(path);
      if (source === undefined) unknownSinceMs.set(path, nowMs);
      // Secrets that changed during the statement may be newer than what it returned.
      else if (version === versionBefore) known.set(path, source);
    }
    for (const remembered of [known, unknownSinceMs]) dropOldest(remembered);
    return found;
  }

  return {
    async find(path) {
      if (!isWithin(versionReadMs, SECRETS_MS)) {
        checking ??= checkVersion().finally(() => {
          checking = null;
        });
        await checking;
      }
      const source = known.get(path);
      if (source !== undefined) return source;
      const sinceMs = unknownSinceMs.get(path);
      if (sinceMs !== undefined && isWithin(sinceMs, UNKNOWN_MS)) return null;
      unknownSinceMs.delete(path);
      return (await lookUp(path)).get(path) ?? null;
    },
    forget(path) {
      known.delete(path);
    },
  };
}

export function toKnownSource(
  { id, secrets: sealed, requiresSecret }: FoundSource,
  box: Pick<KnownPathsOptions, 'secrets' | 'log' | 'onUnreadable'>,
): KnownSource {
  if (!requiresSecret) return { id, secrets: NO_SECRETS };
  const text = sealed === null ? null : openSecret(box, sealed, { kind: 'source secret', id });
  return { id, secrets: text === null ? null : parseSourceSecrets(text) };
}

function dropOldest(remembered: Map<string, unknown>): void {
  for (const path of remembered.keys()) {
    if (remembered.size <= PATHS_MAX) return;
    remembered.delete(path);
  }
}
