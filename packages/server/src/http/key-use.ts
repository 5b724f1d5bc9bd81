/** Records when API keys were used: in memory, and once a minute in the database, so that no request waits for it. */
import type { Logger } from 'pino';
import type { KeyUse } from '@svc/engine/context';
import type { Clock } from '@svc/engine/runtime/clock';
import { setLastUsed } from '@svc/engine/store/api-keys';
import type { Database } from '@svc/engine/store/database/db';

const WRITE_EVERY_MS = 60_000;

export function createKeyUse({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): KeyUse {
  let uses = new Map<number, Date>();
  let cancel = () => {};
  let isPlanned = false;
  let writing = Promise.resolve();

  function write(): void {
    isPlanned = false;
    const noted = uses;
    uses = new Map();
    // One write at a time, so that `stop` waits for all of them.
    writing = writing
      .then(() => setLastUsed(db, noted))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the last uses of API keys could not be written');
        // Retry with the next uses; newer ones win.
        uses = new Map([...noted, ...uses]);
      });
  }

  return {
    note(keyId) {
      uses.set(keyId, clock.now());
      if (isPlanned) return;
      isPlanned = true;
      cancel = clock.setTimer(write, WRITE_EVERY_MS);
    },
    async stop() {
      cancel();
      await writing;
      if (uses.size === 0) return;
      write();
      await writing;
    },
  };
}
