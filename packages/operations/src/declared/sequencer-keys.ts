import type { SequencerKeyRow } from '@svc/engine/store/sequencer-keys';
import * as z from 'zod';
import { declare, flagged, list, noun, one } from './declare.ts';
import { id, name, oneOf, secret, sourcePlatform, url } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

const keyName = name(100).meta(flagged('--name <name>', 'its name, unique in the account'));
const instanceUrl = url.nullable().meta(flagged('--instance-url <url>', "the customer's instance, for EmailBison"));
/** In clear text; stored encrypted. */
const token = secret.meta(flagged('--token-file <file>', 'read the API key from this file', { secret: 'API key' }));

export const addSequencerKey = declare({
  name: 'sequencer-keys/add',
  description: 'store an API key of a sequencer; it is read from stdin or a prompt',
  details:
    'Block lists (`blocklists add --key`) and webhooks ([sources connect](../../docs/sequencers/webhooks.md)) use it. It is stored encrypted and never shown.',
  example: '--account 1 --name main --platform smartlead < key.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'its account')),
    name: keyName,
    platform: sourcePlatform.meta(flagged('--platform <platform>', 'the sequencer')),
    instanceUrl: instanceUrl.default(null),
    /** In place of a token. */
    blocklistId: id
      .meta(flagged('--from-blocklist <id>', 'take the API key that this block list has of its own; both use it then'))
      .optional(),
    token: secret
      .meta(
        flagged('--token-file <file>', 'read the API key from this file', { secret: 'API key', unless: 'blocklistId' }),
      )
      .optional(),
  }),
  result: { key: one<SequencerKeyRow>() },
  print: ({ key }) => `Sequencer key ${key.id} "${key.name}" (${key.platform}, account ${key.accountId}) is stored.`,
});

export const updateSequencerKey = declare({
  name: 'sequencer-keys/update',
  description: 'change the name or the instance of a key',
  example: '1 --name agency',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('sequencer key', 'sequencer-keys'),
    name: keyName.optional(),
    instanceUrl: instanceUrl.meta({ none: 'use the instance of SVC_EMAILBISON_URL' }).optional(),
  }),
  result: { key: one<SequencerKeyRow>() },
  print: ({ key }) => `Sequencer key ${key.id} "${key.name}" is changed.`,
});

export const setSequencerKeyToken = declare({
  name: 'sequencer-keys/set-token',
  description: 'replace a stored API key everywhere it is used; the new one is read from stdin or a prompt',
  example: '1 < key.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('sequencer key', 'sequencer-keys'), token }),
  result: { key: one<SequencerKeyRow>() },
  print: ({ key }) => `Sequencer key ${key.id} "${key.name}" has a new API key of ${key.platform}.`,
});

export const removeSequencerKey = declareRemoval(
  'sequencer-key',
  'remove a stored key; block lists that use it then have none, and webhooks made with it stay and are not looked at',
);

export const listSequencerKeys = declare({
  name: 'sequencer-keys/list',
  description: 'list stored keys of sequencers, without the keys themselves',
  example: '--account 1',
  permission: 'read',
  input: z.strictObject({ accountId: id.meta(flagged('--account <id>', 'only of this account')).optional() }),
  result: { keys: list<SequencerKeyRow>() },
  print: ({ keys }) =>
    renderTable(
      keys,
      {
        ID: 'id',
        ACCOUNT: 'accountId',
        NAME: 'name',
        PLATFORM: 'platform',
        INSTANCE: (row) => row.instanceUrl ?? '',
        STORED: (row) => (row.hasToken ? 'yes' : 'lost'),
      },
      'There are no sequencer keys yet: store one with svc-server sequencer-keys add.',
    ),
});

export const sequencerKeys = noun('sequencer-keys', 'API keys of sequencers, for block lists and webhooks', [
  addSequencerKey,
  updateSequencerKey,
  setSequencerKeyToken,
  removeSequencerKey,
  listSequencerKeys,
]);
