import type { Command } from 'commander';
import type { AdminResult } from '@svc/operations/perform';
import { defineVerb } from './define.ts';
import { type AdminOptions, parseId } from './options.ts';
import { readSecret } from './read-secret.ts';
import { runAdmin } from './run.ts';

interface SetOptions extends AdminOptions {
  generate: boolean;
  secretFile?: string;
  header?: string;
  hmacHeader?: string;
  keepOld: string;
}

export function defineSourceSecrets(sources: Command): void {
  defineVerb(
    sources,
    'set-secret',
    'set or replace the secret that posts to a source must carry; it is read from stdin or a prompt',
    'sources set-secret 1 < secret.txt',
  )
    .argument('<id>', 'the source, as sources list shows it', parseId)
    .option('--generate', 'create a random secret and print it once', false)
    .option('--secret-file <file>', 'read the secret from this file')
    .option('--header <name>', 'the header that holds the secret (default: what the platform documents)')
    .option('--hmac-header <name>', 'the header that holds the HMAC-SHA256 of the body, in hexadecimal')
    .option('--keep-old <duration>', 'how long the replaced secret stays valid; 0s ends it at once', '24h')
    .action(async (id: number, options: SetOptions) => {
      const { generate, secretFile, ...rest } = options;
      const secret = generate ? undefined : await readSecret('secret', secretFile, '--secret-file');
      const input = { id, secret, header: rest.header, hmacHeader: rest.hmacHeader, keepOld: rest.keepOld };
      await runAdmin('sources/set-secret', input, options, (result) => ({
        ...(result.generated === null
          ? { text: describe(result) }
          : { text: result.generated, note: describe(result) }),
      }));
    });

  defineVerb(sources, 'remove-secret', 'accept posts to a source without a secret again', 'sources remove-secret 1')
    .argument('<id>', 'the source, as sources list shows it', parseId)
    .action(async (id: number, options: AdminOptions) => {
      await runAdmin('sources/remove-secret', { id }, options, ({ hadSecret }) => ({
        text: hadSecret
          ? `Source ${id} accepts posts without a secret, from all servers within 5 seconds.`
          : `Source ${id} has no secret: nothing changed.`,
      }));
    });
}

function describe({ id, check, name, keptUntil, generated }: AdminResult<'sources/set-secret'>): string {
  return [
    `Within 5 seconds source ${id} refuses posts without ${EXPECTED[check](name)}.`,
    keptUntil === null ? '' : ` The replaced secret stays valid until ${keptUntil}.`,
    generated === null ? '' : ' The line on stdout is the secret, which is shown only once.',
    ' Enter it at the sequencer.',
  ].join('');
}

const EXPECTED: Readonly<Record<AdminResult<'sources/set-secret'>['check'], (name: string) => string>> = {
  header: (name) => `the secret in the header ${name}`,
  'hmac-sha256': (name) => `their HMAC-SHA256 in the header ${name}`,
  'hmac-sha1': (name) => `their HMAC-SHA1 in the header ${name}`,
  body: (name) => `the secret in the field "${name}" of the body`,
};
