import type { Command } from 'commander';
import { type AdminOptions, defineVerb } from './define.ts';
import { runAdmin } from './run.ts';

export function defineSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('CRM tokens, sequencer tokens and webhook secrets as they are stored');
  defineVerb(
    secrets,
    'reencrypt',
    'encrypt all of them with the first key of SVC_ENCRYPTION_KEY, so that the others can be dropped',
    'secrets reencrypt',
  )
    .addHelpText('after', HELP)
    .action(async (options: AdminOptions) => {
      const { unreadable: left } = await runAdmin(
        'secrets/reencrypt',
        {},
        options,
        ({ reencrypted, current, unreadable }) => ({
          text: `${reencrypted} secrets are encrypted anew, ${current} were up to date.`,
          ...(unreadable.length === 0
            ? {}
            : {
                note: `${unreadable.length} could not be decrypted and stay as they are: ${unreadable
                  .slice(0, SHOWN_MAX)
                  .map(({ kind, id }) => `${kind} of ${id}`)
                  .join(
                    ', ',
                  )}${unreadable.length > SHOWN_MAX ? ' and others' : ''}. Drop no key before svc-server doctor passes.`,
              }),
        }),
      );
      // A script that drops the old key next must stop here.
      if (left.length > 0) process.exitCode = 1;
    });
}

const HELP = `
To replace the key:
  1. SVC_ENCRYPTION_KEY=OLD,NEW on every server, and restart each: all can decrypt what the new key encrypts
  2. SVC_ENCRYPTION_KEY=NEW,OLD on every server, and restart each: all encrypt with the new key
  3. svc-server secrets reencrypt, with the same SVC_ENCRYPTION_KEY; it ends with 1 when a secret could not be decrypted
  4. once it ends with 0 and svc-server doctor passes: SVC_ENCRYPTION_KEY=NEW on every server, and restart each`;

const SHOWN_MAX = 10;
