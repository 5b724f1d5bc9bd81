/** `svc-server sources map | try | set-mapping | mappings`. */
import { readFile, writeFile } from 'node:fs/promises';
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import { type Command, Option } from 'commander';
import { invalidInput } from '@svc/operations/work/admin-error';
import type { AdminResult } from '@svc/operations/perform';
import { defineVerb } from './define.ts';
import { type AdminOptions, collect, parseId } from './options.ts';
import { print, runAdmin } from './run.ts';
import { renderTable } from './table.ts';

/** More than any mapping and any payload that a source accepts. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

interface SourceOptions extends AdminOptions {
  source: number;
}

export function defineSourceMappings(sources: Command): void {
  defineMap(sources);
  defineTry(sources);

  withSource(
    defineVerb(
      sources,
      'set-mapping',
      'set how payloads of a platform without an adapter are read',
      'sources set-mapping --source 7 --mapping my-dialer.json',
    ),
  )
    .option('--mapping <file>', 'the mapping, as docs/sequencers/any-other.md describes it')
    .addOption(new Option('--none', 'remove the mapping; its versions stay listed').conflicts('mapping'))
    .action(async (given: SourceOptions & { mapping?: string; none?: boolean }, command: Command) => {
      const { source, mapping, none, ...options } = given;
      if (mapping === undefined && none !== true) command.error('error: name a file with --mapping, or use --none.');
      await setMapping(source, mapping === undefined ? null : await readMapping(mapping), options);
    });

  withSource(
    defineVerb(
      sources,
      'mappings',
      'show the mapping of a source, and when it changed',
      'sources mappings --source 7 --show 2',
    ),
  )
    // `--version` is the version of the program.
    .option('--show <version>', 'show this version instead of the latest', parseId)
    .action(async ({ source, ...options }: SourceOptions & { show?: number }) => {
      await runAdmin('sources/mappings', { sourceId: source }, options, ({ versions }) => {
        const [latest] = versions;
        if (latest === undefined) return { text: `Source ${source} has no mapping: sources map proposes one.` };
        const shown = options.show === undefined ? latest : versions.find(({ version }) => version === options.show);
        if (shown === undefined) throw invalidInput(`Source ${source} has no version ${options.show} of its mapping.`);
        return {
          text: shown.mapping === null ? `Version ${shown.version}: without a mapping.` : toJson(shown.mapping),
          note: renderTable(
            versions,
            {
              VERSION: (row) => row.version,
              SINCE: (row) => row.createdAt,
              MAPPING: (row) => (row.mapping === null ? 'removed' : row === latest ? 'in use' : 'replaced'),
            },
            '',
          ),
        };
      });
    });
}

function defineMap(sources: Command): void {
  withSource(
    defineVerb(
      sources,
      'map',
      'propose a mapping from the requests that a source received',
      'sources map --source 7 --out my-dialer.json',
    ),
  )
    .addOption(new Option('--from <what>', 'what to look at').choices(['requests']).default('requests'))
    .option('--out <file>', 'write the mapping to this file, to correct it')
    .addOption(new Option('--apply', 'use it from now on').conflicts('json'))
    .action(async ({ source, out, apply, ...options }: SourceOptions & { out?: string; apply?: boolean }) => {
      const proposal = await runAdmin('sources/propose-mapping', { sourceId: source }, options, (result) =>
        out === undefined
          ? { text: toJson(result.mapping), note: describeProposal(result) }
          : { text: describeProposal(result) },
      );
      if (out !== undefined) {
        await writeFile(out, `${toJson(proposal.mapping)}\n`).catch((error: unknown) => {
          throw invalidInput(`--out cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        });
        if (options.json !== true)
          print(
            `\nWrote the mapping to ${out}: try it with svc-server sources try, then use it with sources set-mapping.\n`,
          );
      }
      if (apply !== true) return;
      if (proposal.missing.length > 0) {
        throw invalidInput(`The proposal is not complete (${proposal.missing.join('; ')}): use --out, and add this.`);
      }
      await setMapping(source, proposal.mapping, options);
    });
}

function describeProposal(result: AdminResult<'sources/propose-mapping'>): string {
  const { itemCount, requestCount, places, eventNames, unused, warnings, missing } = result;
  return [
    `${itemCount} different events in ${requestCount} requests.`,
    '',
    renderTable(
      places,
      {
        FIELD: (row) => (row.when === null ? row.field : `${row.field} of ${row.when}`),
        PLACE: (row) => row.path,
        'FOUND IN': (row) => `${row.count} of ${itemCount} events`,
        SURE: (row) => row.sureness,
      },
      'No place of any field was recognized.',
    ),
    '',
    renderTable(
      eventNames,
      { 'EVENT NAME': (row) => row.name, COUNT: (row) => row.count, BECOMES: (row) => describeType(row.type) },
      'No event names were recognized.',
    ),
    '',
    renderTable(
      unused,
      { 'NOT USED': (row) => row.path, 'FOUND IN': (row) => `${row.count} of ${itemCount} events` },
      'Every value is used.',
    ),
    ...(missing.length + warnings.length === 0 ? [] : ['']),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...missing.map((problem) => `Missing: ${problem}`),
  ].join('\n');
}

function describeType(type: AdminResult<'sources/propose-mapping'>['eventNames'][number]['type']): string {
  if (type === null) return 'not recognized: add it to eventTypes';
  return typeof type === 'string' ? type : `${type.type} (${type.category})`;
}

interface TryOptions extends SourceOptions {
  payload: string;
  compare?: string[];
  mapping?: string;
  header?: string[];
}

function defineTry(sources: Command): void {
  withSource(
    defineVerb(
      sources,
      'try',
      'show field by field what would be read from a payload; stores nothing',
      'sources try --source 7 --payload event.json --mapping my-dialer.json',
    ),
  )
    .requiredOption('--payload <file>', 'a payload as the sequencer posts it')
    .option('--compare <file>', 'another payload, to see whether both have events of their own; repeatable', collect)
    .option('--mapping <file>', "a mapping to try instead of the source's own")
    .option('--header <name: value>', 'a header of the request; repeatable', collect)
    .action(async ({ source, payload, compare = [], mapping, header = [], ...options }: TryOptions) => {
      const input = {
        sourceId: source,
        payload: await readText('--payload', payload),
        compare: await Promise.all(compare.map((file) => readText('--compare', file))),
        headers: Object.fromEntries(header.map(parseHeader)),
        mapping: mapping === undefined ? null : await readMapping(mapping),
      };
      await runAdmin('sources/try', input, options, (result) => ({ text: describeTrial(result) }));
    });
}

function describeTrial({ outcome, reason, readBy, events, items, warnings }: AdminResult<'sources/try'>): string {
  const head =
    outcome === 'events'
      ? events.map((event) => `${event.eventType} of ${event.toEmail} (read by the ${readBy ?? 'adapter'})`)
      : [`${outcome}: ${reason}`];
  const details = items.flatMap(({ fields, unread }, index) => [
    '',
    ...(items.length > 1 ? [`Item ${index + 1}`] : []),
    renderTable(
      fields,
      { FIELD: (row) => row.field, FROM: (row) => row.path ?? 'constant', VALUE: (row) => row.value },
      'No field was read.',
    ),
    '',
    renderTable(unread, { 'NOT READ': (row) => row.path, VALUE: (row) => row.value }, 'Everything was read.'),
  ]);
  return [
    ...head,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(readBy === 'adapter' ? events.map((event) => toJson(event)) : details),
  ].join('\n');
}

function withSource(command: Command): Command {
  return command.requiredOption('--source <id>', 'the source, as sources list shows it', parseId);
}

async function setMapping(sourceId: number, mapping: EventMapping | null, options: AdminOptions): Promise<void> {
  await runAdmin('sources/set-mapping', { sourceId, mapping }, options, ({ version }) => ({
    text:
      mapping === null
        ? `Source ${sourceId} has no mapping from now on (version ${version}).`
        : `Source ${sourceId} reads its payloads with version ${version} of its mapping.`,
  }));
}

/** The operation checks it, so that its answer is the same from a socket. */
export async function readMapping(file: string): Promise<EventMapping> {
  const text = await readText('--mapping', file);
  try {
    return JSON.parse(text) as EventMapping;
  } catch (error) {
    throw invalidInput(`--mapping: ${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readText(option: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw invalidInput(`${option} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (text.length > FILE_BYTES_MAX) throw invalidInput(`${option}: ${file} is larger than ${FILE_BYTES_MAX} bytes.`);
  return text;
}

function parseHeader(text: string): [string, string] {
  const [name = '', ...value] = text.split(':');
  if (name.trim() === '' || value.length === 0) throw invalidInput('--header must be a name, a colon and a value.');
  return [name.trim().toLowerCase(), value.join(':').trim()];
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
