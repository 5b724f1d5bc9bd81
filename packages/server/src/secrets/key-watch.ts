import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { Db } from '../store/database/db.ts';
import { findUnreadable } from './open-secret.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Notices a server whose encryption key is another one than that of the stored secrets. Such a server runs no jobs: each
 * would fail, and use up its attempts.
 */
export interface KeyWatch {
  areSecretsReadable(): boolean;
  stop(): void;
}

/** How often a server with another key looks again: the secrets may have been deleted, or stored with its key. */
const RECHECK_MS = 5_000;

/**
 * Tries the stored secrets, and logs in one line what cannot be decrypted.
 *
 * @param options.onReadable called once when the secrets have become readable after all
 */
export async function watchKey(options: {
  db: Db;
  secrets: SecretBox;
  clock: Clock;
  log: Logger;
  onReadable: () => void;
}): Promise<KeyWatch> {
  const { clock, log } = options;
  const { problems, isEverything } = await findUnreadable(options);
  let isReadable = !isEverything;
  let cancel = () => {};
  if (isEverything) {
    log.error(
      { problems },
      'the stored secrets cannot be decrypted, so this server is not ready: it keeps what it receives, and runs no jobs. Set SVC_ENCRYPTION_KEY to the key they were encrypted with, and restart; svc-server doctor has details',
    );
    planCheck();
  } else if (problems.length > 0) {
    log.error(
      { problems },
      'some stored secrets cannot be decrypted, and jobs that need them fail: add their key to SVC_ENCRYPTION_KEY, or store them again; svc-server doctor has details',
    );
  }

  function planCheck(): void {
    cancel = clock.setTimer(() => {
      check().catch((error: unknown) => {
        log.warn({ err: error }, 'the stored secrets could not be read');
        planCheck();
      });
    }, RECHECK_MS);
  }

  let isStopped = false;
  async function check(): Promise<void> {
    const found = await findUnreadable(options);
    if (isStopped) return;
    if (found.isEverything) return planCheck();
    isReadable = true;
    log.info('the stored secrets can be decrypted: jobs run');
    options.onReadable();
  }

  return {
    areSecretsReadable: () => isReadable,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
