import { ENVIRONMENT_VARIABLES } from '../../config/environment-variables.ts';
import { EXIT_CODE_MEANINGS } from '../../errors/exit-codes.ts';
import type { Paint } from '../../terminal/colors.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from '../manifest.ts';
import { twoColumns, wrapCommand, wrapText } from './wrap.ts';

export interface HelpStyle {
  /** Columns. */
  readonly width: number;
  readonly paint: Paint;
}

type Row = readonly [string, string];

const ENVIRONMENT_ROWS: readonly Row[] = Object.entries(ENVIRONMENT_VARIABLES);
const EXIT_CODE_ROWS: readonly Row[] = Object.entries(EXIT_CODE_MEANINGS);

/** Pages that are not about a command: `svc help NAME`. */
export const HELP_PAGES: Readonly<Record<string, { summary: string; rows: readonly Row[]; note: string }>> = {
  environment: {
    summary: 'Environment variables of svc',
    rows: ENVIRONMENT_ROWS,
    note: 'An empty variable counts as not set.',
  },
  'exit-codes': {
    summary: 'Exit codes of svc, the same with and without --json',
    rows: EXIT_CODE_ROWS,
    note: 'The help of a command lists what they mean there in addition.',
  },
};

export function renderRoot(description: string, { commands, topics }: Manifest, style: HelpStyle): string {
  const single = shownCommands(commands).filter(([id]) => !id.includes(':'));
  const column = (name: string) => ENVIRONMENT_ROWS.filter(([variable]) => variable.startsWith(name));
  return page([
    ...wrapText(description, style.width),
    ...section('USAGE', ['  $ svc COMMAND [FLAGS]'], style),
    ...section(
      'TOPICS',
      rows(
        Object.entries(topics).map(([name, topic]) => [name, topic.description ?? '']),
        style,
      ),
      style,
    ),
    ...section(
      'COMMANDS',
      rows(
        single.map(([id, { summary = '' }]) => [id, summary]),
        style,
      ),
      style,
    ),
    ...section('ENVIRONMENT', rows(column('SVC_').slice(0, 3), style), style),
    ...section(
      'EXIT CODES',
      wrapText(
        '0 success, 2 wrong usage, 3 not found, 4 not authenticated, 5 forbidden, 8 the service is not reachable or failed',
        style.width - 2,
      ).map((line) => `  ${line}`),
      style,
    ),
    ...section(
      'MORE',
      rows(
        [
          ['svc COMMAND --help', 'Flags and examples of a command'],
          ...Object.entries(HELP_PAGES).map(([name, { summary }]): Row => [`svc help ${name}`, summary]),
          ['svc version', 'The version'],
        ],
        style,
      ),
      style,
    ),
  ]);
}

export function renderTopic(topic: string, { commands, topics }: Manifest, style: HelpStyle): string {
  const inTopic = shownCommands(commands).filter(([id]) => id.startsWith(`${topic}:`));
  return page([
    ...wrapText(topics[topic]?.description ?? topic, style.width),
    ...section('USAGE', [`  $ svc ${topic} COMMAND [FLAGS]`], style),
    ...section(
      'COMMANDS',
      rows(
        inTopic.map(([id, { summary = '' }]) => [words(id), summary]),
        style,
      ),
      style,
    ),
    '',
    ...wrapText(`Flags and examples: svc ${topic} COMMAND --help`, style.width),
  ]);
}

export function renderHelpPage(name: string, style: HelpStyle): string {
  const { summary = '', rows: content = [], note = '' } = HELP_PAGES[name] ?? {};
  const wrap = (text: string) => wrapText(text, style.width);
  return page([...wrap(summary), '', ...rows(content, style), '', ...wrap(note)]);
}

export function renderCommand(id: string, command: ManifestCommand, style: HelpStyle): string {
  const { summary = '', description, examples = [], exitCodes = {}, environment = [] } = command;
  const args = Object.values(command.args);
  const flags = Object.values(command.flags)
    .filter(({ hidden }) => hidden !== true)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isGlobal = ({ helpGroup }: ManifestFlag) => helpGroup === 'GLOBAL';
  const flagSection = (title: string, shown: readonly ManifestFlag[], more: readonly Row[] = []) =>
    section(title, rows([...shown.map(flagRow), ...more], style), style);
  return page([
    ...wrapText(summary, style.width),
    ...section('USAGE', usageLines([words(id), ...usageOf(command)], style), style),
    ...section(
      'ARGUMENTS',
      rows(
        args.map((arg) => [
          arg.name.toUpperCase(),
          [arg.description ?? '', ...(arg.options === undefined ? [] : [`One of: ${arg.options.join(', ')}`])].join(
            '. ',
          ),
        ]),
        style,
      ),
      style,
    ),
    ...flagSection(
      'FLAGS',
      flags.filter((flag) => !isGlobal(flag)),
    ),
    ...flagSection('GLOBAL FLAGS', flags.filter(isGlobal), [['-h, --help', 'Show this help']]),
    ...section(
      'DESCRIPTION',
      wrapText(expand(description ?? ''), style.width - 2).map((line) => `  ${line}`.trimEnd()),
      style,
    ),
    ...section(
      'EXAMPLES',
      examples.flatMap((example, index) => {
        const { description: what, command: line } =
          typeof example === 'string' ? { description: '', command: example } : example;
        return [
          ...(index === 0 ? [] : ['']),
          ...wrapText(`${what}:`, style.width - 2).map((text) => `  ${text}`),
          ...wrapCommand(expand(line), style.width, '    $ '),
        ];
      }),
      style,
    ),
    ...section(
      'EXIT CODES',
      [...rows(Object.entries(exitCodes), style), '  Those of all commands: svc help exit-codes'],
      style,
    ),
    ...section(
      'ENVIRONMENT',
      [
        ...rows(
          ENVIRONMENT_ROWS.filter(([name]) => environment.includes(name)),
          style,
        ),
        '  All variables: svc help environment',
      ],
      style,
    ),
  ]);
}

function usageLines(usage: readonly string[], { width }: HelpStyle): string[] {
  const [first = '', ...others] = wrapText(`svc ${usage.join(' ')}`, width - '      '.length);
  return [`  $ ${first}`, ...others.map((line) => `      ${line}`)];
}

function usageOf({ args, flags }: ManifestCommand): string[] {
  const named = Object.values(args).map(({ name, required, multiple }) => {
    const shown = `${name.toUpperCase()}${multiple === true ? '...' : ''}`;
    return required === true ? shown : `[${shown}]`;
  });
  const required = Object.values(flags).filter((flag) => flag.required === true);
  return [...named, ...required.map((flag) => `--${flag.name} ${valueOf(flag)}`), '[FLAGS]'];
}

function flagRow(flag: ManifestFlag): Row {
  const { name, char, type, description = '', helpValue, options, required, allowNo } = flag;
  const long = allowNo === true ? `--[no-]${name}` : `--${name}`;
  const form = `${char === undefined ? '    ' : `-${char}, `}${long}${type === 'boolean' ? '' : ` ${valueOf(flag)}`}`;
  const isDefaultShown = ['string', 'number'].includes(typeof flag.default) && !/\bdefault/i.test(description);
  const notes = [
    description,
    ...(options === undefined || helpValue === undefined ? [] : [`One of: ${options.join(', ')}`]),
    ...(isDefaultShown ? [`Default: ${String(flag.default)}`] : []),
    ...(required === true ? ['Required'] : []),
  ];
  return [form, notes.join('. ')];
}

function valueOf({ helpValue, options }: ManifestFlag): string {
  return helpValue === undefined ? (options === undefined ? 'VALUE' : options.join('|')) : [helpValue].flat().join(' ');
}

function shownCommands(commands: Manifest['commands']): [string, ManifestCommand][] {
  return Object.entries(commands)
    .filter(([, { hidden }]) => hidden !== true)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function rows(content: readonly Row[], { width }: HelpStyle): string[] {
  return twoColumns(content, width);
}

/** Returns no lines for an empty section. */
function section(title: string, lines: readonly string[], { paint }: HelpStyle): string[] {
  return lines.join('') === '' ? [] : ['', paint('strong', title), ...lines];
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function words(id: string): string {
  return id.replaceAll(':', ' ');
}

function expand(text: string): string {
  return text.replaceAll('<%= config.bin %>', 'svc');
}
