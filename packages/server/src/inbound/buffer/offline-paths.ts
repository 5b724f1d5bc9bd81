/**
 * Knows all sources with their secrets, so that posts are accepted while the database is away. With the database, a change is noticed
 * by posts that arrive five seconds later, as without the buffer. Without it, what was last read is used for a day; a post to
 * an unknown path cannot be judged.
 */
import type { Logger } from 'pino';
import type { Clock } from '@svc/engine/runtime/clock';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import type { FoundSource } from '../known-paths.sql.ts';
import { type KnownPaths, type KnownSource, toKnownSource } from '../known-paths.ts';
import { READ_ALL, READ_VERSION } from './offline-paths.sql.ts';

/** How long what was read is used without a look whether it has changed. */
const FRESH_MS = 5_000;
/** How long it is used without the database: a replaced secret is valid that long by default. */
const USABLE_MS = 24 * 3_600_000;
/** How long a post waits for a database that answers slowly. */
const WAIT_MS = 1_000;
export interface OfflinePathsOptions {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
  log: Logger;
  /** Asked for paths that were not read from the database. */
  direct: KnownPaths;
}

/** Reads all sources; resolves when they are there. */
export async function createOfflinePaths(options: OfflinePathsOptions): Promise<KnownPaths> {
  const { db, clock, log, direct } = options;
  let sources: ReadonlyMap<string, KnownSource> = new Map();
  let version: string | null = null;
  let readMs = Number.NEGATIVE_INFINITY;
  let triedMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;
  let isDatabaseAway = false;

  async function refresh(): Promise<void> {
    const startedMs = clock.now().getTime();
    const { rows } = await db.query<{ version: string }>(READ_VERSION);
    const current = rows[0]?.version ?? null;
    if (current !== version) {
      const all = await db.query<FoundSource>(READ_ALL);
      sources = new Map(all.rows.map((row) => [row.path, toKnownSource(row, options)]));
      // A change between the two statements is noticed next time.
      version = current;
    }
    readMs = startedMs;
    if (isDatabaseAway) log.info('the database answers again: sources and their secrets are those of now');
    isDatabaseAway = false;
  }

  /** An instant in the future is not recent: the clock was set back since. */
  function isWithin(sinceMs: number, ms: number): boolean {
    const elapsedMs = clock.now().getTime() - sinceMs;
    return elapsedMs >= 0 && elapsedMs < ms;
  }

  /** Waits for the look, but no longer than the database usually takes. */
  async function lookForChanges(): Promise<void> {
    if (refreshing === null && !isWithin(triedMs, FRESH_MS)) {
      triedMs = clock.now().getTime();
      refreshing = refresh()
        .catch((error: unknown) => reportAway(error))
        .finally(() => {
          refreshing = null;
        });
    }
    if (refreshing === null || isDatabaseAway) return;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.setTimer(() => {
        reportAway(new Error(`It did not answer within ${WAIT_MS} ms.`));
        resolve();
      }, WAIT_MS);
    });
    await Promise.race([refreshing, late]);
    cancel();
  }

  function reportAway(error: unknown): void {
    if (!isDatabaseAway) {
      log.warn(
        { err: error },
        'the database does not answer: posts to known sources are accepted into the ingest buffer',
      );
    }
    isDatabaseAway = true;
  }

  await refresh();
  return {
    async find(path) {
      if (!isWithin(readMs, FRESH_MS)) await lookForChanges();
      const source = isWithin(readMs, USABLE_MS) ? sources.get(path) : undefined;
      return source ?? direct.find(path);
    },
    forget: (path) => direct.forget(path),
  };
}
