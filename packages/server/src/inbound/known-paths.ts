/**
 * Caches which inbound paths belong to a source. A known path stays cached until its source is gone. An unknown one is
 * looked up again after a few seconds, so that a new source works soon after its creation.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Database, NamedStatement } from '../store/database/db.ts';

export interface KnownPaths {
  /** Returns whether a source has this path, or had it at the last look-up. */
  has(path: string): Promise<boolean>;
  /** Makes the next post to the path look it up again. */
  forget(path: string): void;
}

/** Number of cached paths of each kind; beyond it the oldest are looked up again. */
const PATHS_MAX = 10_000;
/** How long an unknown path is refused without a look-up. */
const UNKNOWN_MS = 5_000;

const FIND_PATHS: NamedStatement = {
  name: 'inbound-find-paths',
  text: 'select path from sources where path = any($1::text[])',
};

export function createKnownPaths({ db, clock }: { db: Database; clock: Clock }): KnownPaths {
  const known = new Set<string>();
  const unknownUntilMs = new Map<string, number>();
  let nextLookUp: { paths: Set<string>; found: Promise<ReadonlySet<string>> } | null = null;
  let lastEnd: Promise<unknown> = Promise.resolve();

  /** Runs one statement at a time, so that guessing codes uses at most one database connection. */
  function lookUp(path: string): Promise<ReadonlySet<string>> {
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

  async function findPaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await db.query<{ path: string }>(FIND_PATHS, [paths]);
    const found = new Set(rows.map(({ path }) => path));
    const untilMs = clock.now().getTime() + UNKNOWN_MS;
    for (const path of paths) {
      if (found.has(path)) known.add(path);
      else unknownUntilMs.set(path, untilMs);
    }
    for (const remembered of [known, unknownUntilMs]) dropOldest(remembered);
    return found;
  }

  return {
    async has(path) {
      if (known.has(path)) return true;
      const untilMs = unknownUntilMs.get(path);
      if (untilMs !== undefined && untilMs > clock.now().getTime()) return false;
      unknownUntilMs.delete(path);
      return (await lookUp(path)).has(path);
    },
    forget(path) {
      known.delete(path);
    },
  };
}

function dropOldest(remembered: Set<string> | Map<string, number>): void {
  for (const path of remembered.keys()) {
    if (remembered.size <= PATHS_MAX) return;
    remembered.delete(path);
  }
}
