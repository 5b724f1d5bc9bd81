import { openBox } from '@svc/engine/secrets/secret-box';
import { reencryptSecrets } from '@svc/operations/declared/secrets';
import { handWritten } from './define.ts';
import { type AdminOptions, configFor } from './options.ts';

export const secrets = [
  handWritten(reencryptSecrets, {
    define: (command) => void command.addHelpText('after', HELP),
    complete: async (input, options) => ({ ...input, firstKey: firstKeyOf(options) }),
    after({ unreadable }) {
      // Stops a script that would remove the old key next.
      if (unreadable.length > 0) process.exitCode = 1;
    },
  }),
];

/** Returns the id of the first key of SVC_ENCRYPTION_KEY; undefined without the variable. */
function firstKeyOf(options: AdminOptions): string | undefined {
  const { encryptionKeys } = configFor(options);
  return encryptionKeys === undefined ? undefined : openBox('SVC_ENCRYPTION_KEY', encryptionKeys).keyIds[0];
}

const HELP = `
To replace the key:
  1. SVC_ENCRYPTION_KEY=OLD,NEW on every server, and restart each: all can decrypt what the new key encrypts
  2. SVC_ENCRYPTION_KEY=NEW,OLD on every server, and restart each: all encrypt with the new key
  3. svc-server secrets reencrypt, with the same SVC_ENCRYPTION_KEY; it is refused while a running server does not have the
     new key, and exits with 1 when a secret could not be decrypted
  4. once it exits with 0 and svc-server doctor passes: SVC_ENCRYPTION_KEY=NEW on every server, and restart each`;
