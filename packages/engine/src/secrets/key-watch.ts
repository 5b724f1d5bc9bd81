import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Db } from '../store/database/db.ts';
import { listServerKeys } from '../store/server-keys.ts';
import { findUnreadable, type Unreadable } from './open-secret.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Notices a server that lacks a key of the stored secrets: from its start, or because they were encrypted with a new key
 * since. Such a server is not ready and runs no jobs, because each would fail.
 *
 * It lacks a key when it can decrypt none of the secrets, or when another running server has the key that it lacks. A
 * secret whose key no server has is lost; that is no reason to serve no other connection.
 */
export interface KeyWatch {
  areSecretsReadable(): boolean;
  /** Looks again after a secret could not be decrypted. Returns false when this server lacks a key. */
  lookAgain(): Promise<boolean>;
  stop(): void;
}

/** How often a server that lacks a key looks again: the secrets may have been deleted, or stored with its key. */
const RECHECK_MS = 5_000;
/** How often a server looks again while some secrets are lost. */
const RECHECK_LOST_MS = 60_000;
/** For how long the last answer to `lookAgain` is used: a lost secret of a busy source is met often. */
const ANSWER_MS = 5_000;

/**
 * Tries the stored secrets, and logs in one line what cannot be decrypted.
 *
 * @param options.onChange called when the secrets have become readable or unreadable after the start
 */
export async function watchKey(options: {
  db: Db;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'secretsUnreadable'>;
  onChange: (isReadable: boolean) => void;
}): Promise<KeyWatch> {
  const { clock, log } = options;
  let isReadable = true;
  /** The keys whose lack makes this server unready, until no secret needs them. */
  let lacking: ReadonlySet<string> = new Set();
  let known = '';
  let isStopped = false;
  let cancel = () => {};
  let looking: Promise<void> | null = null;
  let answeredMs = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    const found = await findUnreadable(options);
    const elsewhere = found.missingKeys.length === 0 ? [] : (await listServerKeys(options.db)).flat();
    if (isStopped) return;
    const keys = new Set(
      found.missingKeys.filter((key) => found.isEverything || lacking.has(key) || elsewhere.includes(key)),
    );
    const wasReadable = isReadable;
    lacking = keys;
    isReadable = !found.isEverything && keys.size === 0;
    options.metrics.secretsUnreadable.set(found.problems.length);
    report(found, wasReadable);
    cancel();
    if (found.problems.length > 0) planLook(isReadable ? RECHECK_LOST_MS : RECHECK_MS);
    if (isReadable !== wasReadable) options.onChange(isReadable);
  }

  function report({ problems }: Unreadable, wasReadable: boolean): void {
    const current = JSON.stringify([isReadable, problems]);
    if (current === known) return;
    known = current;
    if (!isReadable) {
      log.error(
        { problems },
        'this server lacks the key of stored secrets, so it is not ready: it keeps what it receives, and runs no jobs. Set SVC_ENCRYPTION_KEY to the key they were encrypted with, and restart; svc-server doctor has details',
      );
    } else if (problems.length > 0) {
      log.error(
        { problems },
        'some stored secrets cannot be decrypted, and what needs them waits or fails: add their key to SVC_ENCRYPTION_KEY, or store them again; svc-server doctor has details',
      );
    }
    if (isReadable && !wasReadable) log.info('the stored secrets can be decrypted: jobs run');
  }

  function planLook(ms: number): void {
    cancel = clock.setTimer(() => {
      lookOnce().catch((error: unknown) => {
        log.warn({ err: error }, 'the stored secrets could not be read');
        if (!isStopped) planLook(RECHECK_MS);
      });
    }, ms);
  }

  /** Callers that ask at the same time share one look. */
  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  }

  await look();
  return {
    areSecretsReadable: () => isReadable,
    async lookAgain() {
      const nowMs = clock.now().getTime();
      const isFresh = nowMs >= answeredMs && nowMs - answeredMs < ANSWER_MS;
      if (looking !== null || !isFresh) {
        await lookOnce();
        answeredMs = nowMs;
      }
      return isReadable;
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
