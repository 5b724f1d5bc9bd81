import type { Command } from 'commander';
import type { AdminOptions } from './options.ts';
import { defineVerb } from './define.ts';
import { runAdmin } from './run.ts';

export function defineSecrets(program: Command): void {
  const secrets = program.command('secrets').description('stored CRM tokens, sequencer tokens and webhook secrets');
  defineVerb(
    secrets,
    'reencrypt',
    're-encrypt all secrets with the first key of SVC_ENCRYPTION_KEY, so that other keys can be removed',
    'secrets reencrypt',
  )
    .addHelpText('after', HELP)
    .action(async (options: AdminOptions) => {
      const { unreadable: left } = await runAdmin(
        'secrets/reencrypt',
        {},
        options,
        ({ reencrypted, current, unreadable }) => ({
          text: `${reencrypted} secrets re-encrypted, ${current} were up to date.`,
          ...(unreadable.length === 0
            ? {}
            : {
                note: `${unreadable.length} could not be decrypted and were not changed: ${unreadable
                  .slice(0, SHOWN_MAX)
                  .map(({ kind, id }) => `${kind} of ${id}`)
                  .join(
                    ', ',
                  )}${unreadable.length > SHOWN_MAX ? ' and others' : ''}. Do not remove a key before svc-server doctor passes.`,
              }),
        }),
      );
      // Stops a script that would remove the old key next.
      if (left.length > 0) process.exitCode = 1;
    });
}

const HELP = `
To replace the key:
  1. SVC_ENCRYPTION_KEY=OLD,NEW on every server, and restart each: all can decrypt what the new key encrypts
  2. SVC_ENCRYPTION_KEY=NEW,OLD on every server, and restart each: all encrypt with the new key
  3. svc-server secrets reencrypt, with the same SVC_ENCRYPTION_KEY; it exits with 1 when a secret could not be decrypted
  4. once it exits with 0 and svc-server doctor passes: SVC_ENCRYPTION_KEY=NEW on every server, and restart each`;

const SHOWN_MAX = 10;
