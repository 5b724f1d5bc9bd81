/** `svc-server sources set-secret | map | set-mapping | mappings`. */
import { writeFile } from 'node:fs/promises';
import type { ResultOf } from '@svc/operations/declared/declare';
import { listMappings, proposeMapping, setMapping } from '@svc/operations/declared/source-mappings';
import { setSourceSecret } from '@svc/operations/declared/sources';
import { renderTable } from '@svc/operations/declared/table';
import { invalidInput } from '@svc/operations/implemented/admin-error';
import { Option } from 'commander';
import { handWritten, type Options, readJsonFile, runOperation } from './define.ts';
import { parseId } from './options.ts';
import { readSecret } from './read-secret.ts';
import { print } from './run.ts';

type Proposal = ResultOf<typeof proposeMapping>;

export const sources = [
  handWritten(setSourceSecret, {
    define(command) {
      command
        .option('--generate', 'create a random secret and print it once')
        .option('--secret-file <file>', 'read the secret from this file');
    },
    async complete(input, { generate, secretFile }) {
      if (generate === true) return input;
      const file = typeof secretFile === 'string' ? secretFile : undefined;
      return { ...input, secret: await readSecret('secret', file, '--secret-file') };
    },
  }),

  handWritten(proposeMapping, {
    define(command) {
      command
        .addOption(new Option('--from <what>', 'what to look at').choices(['requests']).default('requests'))
        .option('--out <file>', 'write the mapping to this file, to correct it')
        .addOption(new Option('--apply', 'use it from now on').conflicts('json'));
    },
    print: (proposal, { out }) =>
      out === undefined
        ? { text: toJson(proposal.mapping), note: describeProposal(proposal) }
        : { text: describeProposal(proposal) },
    async after(proposal, options) {
      const { out, apply, source } = options;
      if (typeof out === 'string') await writeProposal(proposal, out, options);
      if (apply !== true) return;
      if (proposal.missing.length > 0) {
        throw invalidInput(`The proposal is not complete (${proposal.missing.join('; ')}): use --out, and add this.`);
      }
      await runOperation(setMapping, { sourceId: source, mapping: proposal.mapping }, options);
    },
  }),

  handWritten(setMapping, {
    define(command) {
      command
        .option('--mapping <file>', 'the mapping, as docs/sequencers/any-other.md describes it')
        .addOption(new Option('--none', 'remove the mapping; its versions stay listed').conflicts('mapping'));
    },
    async complete(input, { mapping, none }, command) {
      if (mapping === undefined && none !== true) command.error('error: name a file with --mapping, or use --none.');
      return { ...input, mapping: none === true ? null : await readJsonFile('--mapping', String(mapping)) };
    },
  }),

  handWritten(listMappings, {
    // `--version` is the version of the program.
    define: (command) => void command.option('--show <version>', 'show this version instead of the latest', parseId),
    print({ versions, ready }, { source, show }) {
      const [latest] = versions;
      if (ready !== null && show === undefined && (latest ?? { mapping: null }).mapping === null) {
        return {
          text: toJson(ready),
          note: `Source ${String(source)} has no mapping of its own: this is the ready one of its platform.`,
        };
      }
      if (latest === undefined) return `Source ${String(source)} has no mapping: sources map proposes one.`;
      const shown = show === undefined ? latest : versions.find(({ version }) => version === show);
      if (shown === undefined)
        throw invalidInput(`Source ${String(source)} has no version ${String(show)} of its mapping.`);
      const stateOf = (row: typeof latest) =>
        row.mapping === null ? 'removed' : row === latest ? 'in use' : 'replaced';
      return {
        text: shown.mapping === null ? `Version ${shown.version}: without a mapping.` : toJson(shown.mapping),
        note: renderTable(versions, { VERSION: 'version', SINCE: 'createdAt', MAPPING: stateOf }, ''),
      };
    },
  }),
];

async function writeProposal({ mapping }: Proposal, file: string, { json }: Options): Promise<void> {
  await writeFile(file, `${toJson(mapping)}\n`).catch((error: unknown) => {
    throw invalidInput(`--out cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (json !== true) {
    print(
      `\nWrote the mapping to ${file}: try it with svc-server sources try, then use it with sources set-mapping.\n`,
    );
  }
}

function describeProposal(result: Proposal): string {
  const { itemCount, requestCount, places, eventNames, unused, warnings, missing } = result;
  return [
    `${itemCount} different events in ${requestCount} requests.`,
    '',
    renderTable(
      places,
      {
        FIELD: (row) => (row.when === null ? row.field : `${row.field} of ${row.when}`),
        PLACE: 'path',
        'FOUND IN': (row) => `${row.count} of ${itemCount} events`,
        SURE: 'sureness',
      },
      'No place of any field was recognized.',
    ),
    '',
    renderTable(
      eventNames,
      { 'EVENT NAME': 'name', COUNT: 'count', BECOMES: (row) => describeType(row.type) },
      'No event names were recognized.',
    ),
    '',
    renderTable(
      unused,
      { 'NOT USED': 'path', 'FOUND IN': (row) => `${row.count} of ${itemCount} events` },
      'Every value is used.',
    ),
    ...(missing.length + warnings.length === 0 ? [] : ['']),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...missing.map((problem) => `Missing: ${problem}`),
  ].join('\n');
}

function describeType(type: Proposal['eventNames'][number]['type']): string {
  if (type === null) return 'not recognized: add it to eventTypes';
  return typeof type === 'string' ? type : `${type.type} (${type.category})`;
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
