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
  ).action(async (options: AdminOptions) => {
    await runAdmin('secrets/reencrypt', {}, options, ({ reencrypted, current, unreadable }) => ({
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
    }));
  });
}

const SHOWN_MAX = 10;
