/**
 * Tells who watches that jobs were enqueued or ended, so that a page can refresh. Watchers learn kinds of jobs and nothing of a tenant.
 * Processes with workers tell the others at most once a second, whether anybody watches or not.
 */
import { randomUUID } from 'node:crypto';
import { createNotifier, type NotifierDeps } from './job-notices.ts';

const CHANNEL = 'svc_changes';

/** Shortest time between two calls of a watcher, and between two notifications. */
const GAP_MS = 1_000;

export interface Changes {
  /** Notes jobs of this kind that were enqueued in this process. Other processes learn of their end. */
  noteEnqueued(kind: string): void;
  /** Notes a job of this kind that ended in this process. */
  noteEnded(kind: string): void;
  /**
   * Calls `onChange` with the kinds of the jobs since its last call, at most once a second. Behind a connection pooler it does not learn
   * of other processes.
   *
   * @returns a function that ends it
   */
  watch(onChange: (kinds: readonly string[]) => void): () => void;
}

export function createChanges(deps: NotifierDeps): Changes {
  const { db, clock, log } = deps;
  const watchers = new Set<(kinds: readonly string[]) => void>();
  const pending = new Set<string>();
  let isResting = false;
  let isListening = false;
  /** Tells notifications of this process from those of others. */
  const own = randomUUID();
  // Only one process uses the embedded database.
  const tellOthers = db.backend === 'pglite' ? () => {} : createNotifier(deps, { channel: CHANNEL, gapMs: GAP_MS });

  function note(kind: string): void {
    if (watchers.size === 0) return;
    pending.add(kind);
    if (!isResting) tellWatchers();
  }

  function tellWatchers(): void {
    // An interruption of the connection has no kind.
    const kinds = [...pending].filter((kind) => kind !== '');
    pending.clear();
    isResting = true;
    for (const onChange of watchers) onChange(kinds);
    clock.setTimer(() => {
      isResting = false;
      if (pending.size > 0) tellWatchers();
    }, GAP_MS);
  }

  function listen(): void {
    if (isListening) return;
    isListening = true;
    db.listen(CHANNEL, (payload) => {
      const [sender, kind = ''] = (payload ?? '').split(' ');
      if (sender !== own) note(kind);
    }).catch((error: unknown) => {
      isListening = false;
      log.warn({ err: error }, 'this process does not hear of the jobs of others: pages in browsers refresh less');
    });
  }

  return {
    noteEnqueued: note,
    noteEnded(kind) {
      note(kind);
      tellOthers(`${own} ${kind}`);
    },
    watch(onChange) {
      listen();
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
