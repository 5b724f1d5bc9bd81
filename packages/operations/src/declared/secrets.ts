import { describePlace, type SecretKind } from '@svc/engine/secrets/secret-box';
import * as z from 'zod';
import { declare, list, noun, one } from './declare.ts';
import { confirmed } from './removal.ts';

export interface SecretOfRow {
  kind: SecretKind;
  id: number | string;
}

const SHOWN_MAX = 10;

export const reencryptSecrets = declare({
  name: 'secrets/reencrypt',
  description: 're-encrypt all secrets with the first key of SVC_ENCRYPTION_KEY, so that other keys can be removed',
  details:
    'It is refused while a running server does not have that key; exits with 1 when some could not be decrypted.',
  help: `
To replace the key:
  1. SVC_ENCRYPTION_KEY=OLD,NEW on every server, and restart each: all can decrypt what the new key encrypts
  2. SVC_ENCRYPTION_KEY=NEW,OLD on every server, and restart each: all encrypt with the new key
  3. svc-server secrets reencrypt, with the same SVC_ENCRYPTION_KEY; it is refused while a running server does not have the
     new key, and exits with 1 when a secret could not be decrypted
  4. once it exits with 0 and svc-server doctor passes: SVC_ENCRYPTION_KEY=NEW on every server, and restart each`,
  permission: 'write',
  input: z.strictObject({
    /** The id of the first key of the caller's SVC_ENCRYPTION_KEY; without one, the server's own keys count. */
    firstKey: z.string().optional(),
  }),
  result: {
    /** Encrypted by this call. */
    reencrypted: one<number>(),
    /** Already encrypted with the first key and bound to their rows. */
    current: one<number>(),
    /** Not decryptable with the configured keys; unchanged. */
    unreadable: list<SecretOfRow>('kind', 'id'),
  },
  isIncomplete: ({ unreadable }) => unreadable.length > 0,
  print: ({ reencrypted, current, unreadable }) => {
    const text = `${reencrypted} secrets re-encrypted, ${current} were up to date.`;
    if (unreadable.length === 0) return text;
    const shown = unreadable.slice(0, SHOWN_MAX).map(describePlace).join(', ');
    return {
      text,
      note: `${unreadable.length} could not be decrypted and were not changed: ${shown}${unreadable.length > SHOWN_MAX ? ' and others' : ''}. Do not remove a key before svc-server doctor passes.`,
    };
  },
});

const RESTORE: Readonly<Record<SecretKind, (id: number | string) => string>> = {
  'CRM token': () => 'connect it again with svc-server connections add.',
  'source secret': (id) =>
    `its posts get 503 until svc-server sources set-secret ${id} stores a new one, or sources remove-secret ${id} accepts them without.`,
  'sequencer token': (id) => `store a new one with svc-server blocklists set-token --blocklist ${id}.`,
  'alert channel': (id) => `store its URL again with svc-server alerts set-url ${id}.`,
  'sequencer key': (id) => `store a new one with svc-server sequencer-keys set-token ${id}.`,
  'webhook signing secret': (id) =>
    `it is switched off; svc webhooks rotate-secret ${id} makes a new one, and svc webhooks update ${id} --enable switches it on.`,
};

export const discardSecrets = declare({
  name: 'secrets/discard',
  description: 'delete the secrets that cannot be decrypted, because their key is lost; without --yes only says which',
  details:
    'Connections are disconnected, block lists lose their API key, webhooks are switched off. Exits with 1 without `--yes`, when there are such secrets.',
  example: '--yes',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ isConfirmed: confirmed('confirm the deletion') }),
  result: { discarded: list<SecretOfRow>('kind', 'id') },
  print: ({ discarded }) =>
    discarded.length === 0
      ? 'Every secret can be decrypted: nothing is deleted.'
      : discarded.map((place) => `Deleted the ${describePlace(place)}: ${RESTORE[place.kind](place.id)}`).join('\n'),
});

export const secrets = noun('secrets', 'stored CRM tokens, sequencer tokens, and secrets of sources and webhooks', [
  reencryptSecrets,
  discardSecrets,
]);
