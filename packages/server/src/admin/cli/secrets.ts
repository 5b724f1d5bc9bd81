import type { Command } from 'commander';
import { describePlace, type SecretKind } from '@svc/engine/secrets/secret-box';
import { openBox } from '@svc/engine/secrets/secret-box';
import { type AdminOptions, configFor } from './options.ts';
import { defineVerb } from './define.ts';
import { runAdmin } from './run.ts';

export function defineSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('stored CRM tokens, sequencer tokens, and secrets of sources and webhooks');
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
        { firstKey: firstKeyOf(options) },
        options,
        ({ reencrypted, current, unreadable }) => ({
          text: `${reencrypted} secrets re-encrypted, ${current} were up to date.`,
          ...(unreadable.length === 0
            ? {}
            : {
                note: `${unreadable.length} could not be decrypted and were not changed: ${unreadable
                  .slice(0, SHOWN_MAX)
                  .map(describePlace)
                  .join(
                    ', ',
                  )}${unreadable.length > SHOWN_MAX ? ' and others' : ''}. Do not remove a key before svc-server doctor passes.`,
              }),
        }),
      );
      // Stops a script that would remove the old key next.
      if (left.length > 0) process.exitCode = 1;
    });
  defineVerb(
    secrets,
    'discard',
    'delete the secrets that cannot be decrypted, because their key is lost; without --yes only says which',
    'secrets discard --yes',
  )
    .option('--yes', 'confirm the deletion', false)
    .action(async (options: AdminOptions & { yes: boolean }) => {
      await runAdmin('secrets/discard', { isConfirmed: options.yes }, options, ({ discarded }) => ({
        text: discarded.length === 0 ? 'Every secret can be decrypted: nothing is deleted.' : describe(discarded),
      }));
    });
}

/** Says what is deleted and how to store it again. */
function describe(discarded: readonly { kind: SecretKind; id: number | string }[]): string {
  return discarded.map((place) => `Deleted the ${describePlace(place)}: ${RESTORE[place.kind](place.id)}`).join('\n');
}

const RESTORE: Readonly<Record<SecretKind, (id: number | string) => string>> = {
  'CRM token': () => 'connect it again with svc-server connections add.',
  'source secret': (id) =>
    `its posts get 503 until svc-server sources set-secret ${id} stores a new one, or sources remove-secret ${id} accepts them without.`,
  'sequencer token': (id) => `store a new one with svc-server blocklists set-token --blocklist ${id}.`,
  'webhook signing secret': (id) =>
    `it is switched off; svc webhooks rotate-secret ${id} makes a new one, and svc webhooks update ${id} --enable switches it on.`,
};

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

const SHOWN_MAX = 10;
