/** Configuration files can say what the commands can set. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAccount } from './accounts.ts';
import { addBlocklist, updateBlocklist } from './blocklists.ts';
import { configJsonSchema } from './config-file.ts';
import { addConnection } from './connections.ts';
import { type Declaration, fieldOf } from './declare.ts';
import { addDestination, bindDestination, updateDestination } from './destinations.ts';
import { addRelay, updateRelay } from './relays.ts';
import { addSequencerKey, updateSequencerKey } from './sequencer-keys.ts';
import { connectSource } from './source-webhooks.ts';
import { addSource, setSourceSecret, updateSource } from './sources.ts';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

const { properties: { accounts } = {} } = configJsonSchema() as Schema;
const account = accounts?.items?.anyOf?.[0];
/** Returns the fields that an entry of this list of the file may have. */
function fieldsOf(...lists: readonly string[]): string[] {
  const entry = lists.reduce((schema: Schema | undefined, list) => schema?.properties?.[list]?.items, account);
  return [...Object.keys(entry?.properties ?? {}), ...Object.keys(entry?.properties?.['secret']?.properties ?? {})];
}

/** What the place of an entry in the file says. */
const PLACED = ['id', 'accountId', 'connectionId', 'sourceId', 'destinationId'];
/** Fields of commands that have another name in the file. */
const FILE_NAMES: Readonly<Record<string, string>> = {
  ...{ canUseWebhooks: 'webhooks', crmToken: 'token', sequencerToken: 'token', sequencerKeyId: 'key' },
  ...{ blockType: 'type', suppresses: 'suppress', removes: 'remove', categoryAllowlist: 'categories' },
  ...{ canUseApi: 'capabilities', sync: 'capabilities', destinations: 'capabilities', blocklists: 'capabilities' },
  ...{ eventTypes: 'sources', isDelayed: 'sources' },
};
/** What a file cannot say, although a command can; the document says why. */
const ONLY_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'sequencer-keys/add': ['--from-blocklist'],
  'connections/add': ['--client-id', '--username', '--sandbox', '--my-domain'],
  'sources/add': ['--yes'],
  'sources/set-secret': ['--keep-old'],
  'sources/connect': ['--key', '--campaign', '--yes'],
};
/** It is a flag of `config apply` too. */
const OF_APPLY = ['--no-check'];

test.each<[Declaration, readonly string[]]>([
  [createAccount, Object.keys(account?.properties ?? {})],
  [addSequencerKey, fieldsOf('sequencerKeys')],
  [updateSequencerKey, fieldsOf('sequencerKeys')],
  [addConnection, fieldsOf('connections')],
  [addSource, fieldsOf('connections', 'sources')],
  [updateSource, fieldsOf('connections', 'sources')],
  [setSourceSecret, fieldsOf('connections', 'sources')],
  [connectSource, fieldsOf('connections', 'sources')],
  [addDestination, fieldsOf('connections', 'destinations')],
  [updateDestination, fieldsOf('connections', 'destinations')],
  [bindDestination, fieldsOf('connections', 'destinations')],
  [addRelay, fieldsOf('connections', 'relays')],
  [updateRelay, fieldsOf('connections', 'relays')],
  [addBlocklist, fieldsOf('connections', 'blocklists')],
  [updateBlocklist, fieldsOf('connections', 'blocklists')],
])('$name', ({ name, input }, inFile) => {
  const missing = Object.entries(input.shape).flatMap(([field, schema]) => {
    if (PLACED.includes(field) || inFile.includes(FILE_NAMES[field] ?? field)) return [];
    return [/^--[\w-]+/.exec(fieldOf(schema).meta.flag ?? '')?.[0] ?? field];
  });
  expect(missing.filter((flag) => !OF_APPLY.includes(flag))).toEqual(ONLY_COMMANDS[name] ?? []);
});

test('the document names what only commands can say', () => {
  const docs = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  for (const [name, flags] of Object.entries(ONLY_COMMANDS)) {
    const row = `| ${flags.map((flag) => `\`${flag}\``).join(', ')} of \`${name.replace('/', ' ')}\` |`;
    expect(docs).toContain(row);
  }
});
