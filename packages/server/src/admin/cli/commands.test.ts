/** Tests the command lines without running their actions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { describePlan, describeResult } from '@svc/operations/declared/removal';
import { defineAdminCommands } from './index.ts';
import { StrictCommand } from './strict-command.ts';
import { toTerminalJson } from '@svc/engine/runtime/terminal-text';
import { renderTable } from '@svc/operations/declared/table';

const COMMANDS = {
  accounts: ['create', 'list', 'activity', 'remove'],
  connections: [
    ...['add', 'connect', 'list', 'prepare', 'selftest', 'disconnect', 'remove'],
    ...['policy show', 'policy set', 'policy history'],
  ],
  sources: [
    ...['backfill', 'add', 'list', 'show', 'update', 'remove', 'set-secret', 'remove-secret', 'connect', 'disconnect'],
    ...['map', 'try', 'set-mapping', 'mappings'],
    ...['policy show', 'policy set', 'policy check', 'policy try', 'policy history'],
    ...['held', 'release', 'drop-held'],
  ],
  requests: ['list', 'show', 'reprocess'],
  keys: ['create', 'list', 'revoke', 'rotate'],
  destinations: ['add', 'bind', 'unbind', 'list', 'update', 'remove'],
  relays: ['add', 'bind', 'unbind', 'list', 'log', 'resend', 'update', 'remove'],
  'sequencer-keys': ['add', 'list', 'set-token', 'update', 'remove'],
  blocklists: ['add', 'list', 'set-token', 'update', 'remove'],
  alerts: ['add', 'list', 'set-url', 'test', 'update', 'remove'],
  capabilities: ['set'],
  config: ['export', 'plan', 'check', 'apply', 'rename'],
  jobs: ['list', 'retry'],
  secrets: ['discard', 'reencrypt'],
  person: ['show'],
  erase: [],
  users: ['invite', 'list', 'update', 'remove', 'sessions', 'end-sessions'],
  audit: ['list'],
};

/** Parses a command line as the program does, and captures what it prints. */
async function parse(...args: string[]): Promise<{ error: unknown; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const program = new StrictCommand('svc-server').exitOverride().configureOutput({
    writeOut: (text) => {
      printed.out += text;
    },
    writeErr: (text) => {
      printed.err += text;
    },
  });
  defineAdminCommands(program);
  const error: unknown = await program.parseAsync(args, { from: 'user' }).then(
    () => null,
    (reason: unknown) => reason,
  );
  return { error, ...printed };
}

/** Returns the words below a noun, those of a group with its name: `policy try`. */
function listVerbs({ commands }: { readonly commands: readonly Command[] }): string[] {
  return commands.flatMap((verb) =>
    verb.commands.length === 0 ? [verb.name()] : listVerbs(verb).map((inner) => `${verb.name()} ${inner}`),
  );
}

test('lists all commands', () => {
  const program = new Command();
  defineAdminCommands(program);
  const names = program.commands.map((noun) => [noun.name(), listVerbs(noun).sort()]);
  expect(Object.fromEntries(names)).toEqual(
    Object.fromEntries(Object.entries(COMMANDS).map(([noun, verbs]) => [noun, verbs.toSorted()])),
  );
});

test('no command has an option --version: the program would take it', () => {
  const program = new Command();
  defineAdminCommands(program);
  const options = program.commands.flatMap((noun) =>
    noun.commands.flatMap((verb) => [verb, ...verb.commands].flatMap((command) => command.options)),
  );
  expect(options.map(({ long }) => long)).not.toContain('--version');
});

describe.each(Object.entries(COMMANDS).flatMap(([noun, verbs]) => verbs.map((verb) => [noun, verb] as const)))(
  '%s %s',
  (noun, verb) => {
    test('--help shows the common options and an example', async () => {
      const { error, out } = await parse(noun, ...verb.split(' '), '--help');
      expect(error).toMatchObject({ exitCode: 0 });
      expect(out).toContain(`Example:\n  $ svc-server ${noun} ${verb}`);
      for (const option of ['--data-dir <dir>', '--json']) expect(out).toContain(option);
    });

    test('the example can be parsed', () => {
      const program = new Command().exitOverride();
      defineAdminCommands(program);
      const names = [noun, ...verb.split(' ')];
      const command = names.reduce<Command | undefined>(
        (parent, name) => parent?.commands.find((one) => one.name() === name),
        program,
      );
      let example = '';
      command?.configureOutput({
        writeOut: (text) => {
          example += text;
        },
      });
      command?.outputHelp();
      const line =
        example
          .split(`$ svc-server ${names.join(' ')}`)[1]
          ?.split('\n')[0]
          ?.trim()
          .replace(/ [<>] \S+$/, '') ?? '';
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      // Without the action, only options and arguments are checked.
      command?.action(() => {});
      expect(() => command?.parse(words, { from: 'user' })).not.toThrow();
    });
  },
);

/** Checks options and arguments without the action, and returns the options. */
function parseOnly(words: readonly string[]): Record<string, unknown> {
  const program = new Command().exitOverride();
  defineAdminCommands(program);
  const args = [...words];
  let command: Command = program;
  for (;;) {
    const next = command.commands.find((one) => one.name() === args[0]);
    if (next === undefined) break;
    command = next;
    args.shift();
  }
  command.action(() => {});
  return command.exitOverride().parse(args, { from: 'user' }).opts();
}

test('a flag that lists values replaces its default, and repeated ones add up', () => {
  const add = ['alerts', 'add', '--installation', '--kind', 'mail', '--to', 'ops@example.com'];
  expect(parseOnly(add)['topics']).toHaveLength(8);
  const given = parseOnly([...add, '--topics', 'crm-disconnected,source-silent', '--topics', 'wiring-drift']);
  expect(given['topics']).toEqual(['crm-disconnected', 'source-silent', 'wiring-drift']);
  expect(parseOnly(['keys', 'create', '--account', '1', '--name', 'x', '--scope', 'write'])['scope']).toEqual([
    'write',
  ]);
});

test.each(['sequencers/webhooks.md', 'sequencers/block-lists.md', 'sequencers/backfill.md'])(
  'the commands of docs/%s can be parsed',
  (file) => {
    const text = readFileSync(path.join(import.meta.dirname, '../../../../../docs', file), 'utf8');
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('svc-server '));
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      const command = line.slice('svc-server '.length).replace(/ [<>] \S+.*$/, '');
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(() => parseOnly(words)).not.toThrow();
    }
  },
);

test.each([
  ['keys create', "required option '--account <id>'"],
  ['keys create --account x --name y', 'It must be an id'],
  ['keys create --account 0 --name y', 'It must be an id'],
  ['keys create --account 1 --name y --scope admin', 'Allowed choices are read, write'],
  ['keys revoke', "missing required argument 'id'"],
  ['keys revoke 1e3', 'It must be an id'],
  ['keys create --account --name y', '--account needs a value; write --account=VALUE'],
  ['keys create --account 1 --name --json', '--name needs a value'],
  ['connections connect zoho --account 1', 'Allowed choices are HUBSPOT, SALESFORCE, PIPEDRIVE'],
  [
    'connections add --account 1 --crm zoho --organization-id 1 --organization-domain x',
    'Allowed choices are HUBSPOT, SALESFORCE, PIPEDRIVE',
  ],
  ['keys destroy 1', "unknown command 'destroy'"],
  ['capabilities set --connection 1 --api yes', 'It must be on or off'],
  ['sources map --source 1 --apply --json', "option '--apply' cannot be used with option '--json'"],
  ['sources set-mapping --source 1', 'name a file with --mapping, or use --none'],
  [
    'sources set-mapping --source 1 --mapping x --none',
    "option '--none' cannot be used with option '--mapping <file>'",
  ],
  ['sources policy set 1', 'name a file with the policy, or use --remove'],
  ['sources policy shwo 1', "unknown command 'shwo'"],
  ['connections policy check', "unknown command 'check'"],
  ['relays add --connection 1 --cc-email a@example.com --category 7', 'It must be ID=NAME'],
  ['relays add --connection 1 --cc-email a@example.com --delay-minutes -1', 'It must be a whole number'],
  ['destinations bind 1 --source 2', "required option '--event-types <names>'"],
  [
    'connections add --account 1 --crm HUBSPOT --organization-id 1 --organization-domain x --token pat',
    "unknown option '--token'",
  ],
  ['blocklists add --connection 1 --name x --platform smartlead --type EMAIL', 'Allowed choices are ADDRESS, DOMAIN'],
])('%s: a usage error that says what to give', async (line, text) => {
  const { error, err } = await parse(...line.split(' '));
  expect(error).toBeInstanceOf(CommanderError);
  expect(err).toContain(text);
});

test('a table pads columns, shows absent values, and escapes control characters', () => {
  const rows = [
    { id: 1, name: 'plain', on: true, list: ['a', 'b'] },
    { id: 12, name: '\u001b[31mred\u202e', on: false, list: [] },
  ];
  const columns = {
    ID: (row: (typeof rows)[number]) => row.id,
    NAME: (row: (typeof rows)[number]) => row.name,
    ON: (row: (typeof rows)[number]) => row.on,
    LIST: (row: (typeof rows)[number]) => row.list,
  };
  expect(renderTable(rows, columns, 'none').split('\n')).toEqual([
    'ID  NAME                 ON   LIST',
    '1   plain                on   a, b',
    '12  \\u001b[31mred\\u202e  off  -',
  ]);
  expect(renderTable([], columns, 'none')).toBe('none');
});

test('JSON escapes what could act on a terminal, and means the same', () => {
  const value = { body: 'a\u009d52;c;x\u009c b\u001b]0;x\u0007 c\u202ed \u200f\u061c \u2028\u007f é' };
  const json = toTerminalJson(value, 2);
  expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u);
  expect(json).toContain('é');
  expect(JSON.parse(json)).toEqual(value);
});

test('a removal is described by what is deleted and what is kept', () => {
  const counts = { deleted: { 'API keys': 1, entries: 2 }, kept: { deliveries: 1, requests: 3 } };
  expect(describePlan('connection 2', counts)).toBe(
    'Removing connection 2 deletes 1 API key, 2 entries, and keeps 1 delivery, 3 requests without it',
  );
  expect(describeResult('connection 2', counts)).toBe(
    'Removed connection 2 with 1 API key, 2 entries. Kept without it: 1 delivery, 3 requests.',
  );
  expect(describeResult('relay 2', { deleted: {}, kept: {} })).toBe('Removed relay 2.');
});
