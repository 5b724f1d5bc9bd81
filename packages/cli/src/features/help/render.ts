import { ENVIRONMENT_VARIABLES } from '../../config/environment-variables.ts';
import { EXIT_CODE_MEANINGS } from '../../errors/exit-codes.ts';
import type { Paint } from '../../terminal/colors.ts';
import * as manifest from '../../command/manifest.ts';

export interface HelpStyle {
  /** Columns. */
  readonly width: number;
  readonly paint: Paint;
}

type Row = readonly [name: string, text: string];
/** Rows stand in two columns, before the texts; a text that begins with `$` is a command line. */
type Section = readonly [title: string, content: readonly (Row | string)[]];

const ENVIRONMENT_ROWS: readonly Row[] = Object.entries(ENVIRONMENT_VARIABLES);
const SHORT_EXIT_CODES =
  '0 success, 2 wrong usage, 3 not found, 4 not authenticated, 5 forbidden, 8 the service is not reachable or failed';
/** The least columns for the text beside a name. */
const TEXT_MIN = 24;

/** Pages that are not about a command: `svc help NAME`. */
export const HELP_PAGES: Readonly<Record<string, { summary: string; rows: readonly Row[]; note: string }>> = {
  environment: {
    summary: 'Environment variables of svc',
    rows: ENVIRONMENT_ROWS,
    note: 'An empty variable counts as not set.',
  },
  'exit-codes': {
    summary: 'Exit codes of svc, the same with and without --json',
    rows: Object.entries(EXIT_CODE_MEANINGS),
    note: 'The help of a command lists what they mean there in addition.',
  },
};

export function renderRoot(description: string, all: manifest.Manifest, style: HelpStyle): string {
  const pages = Object.entries(HELP_PAGES).map(([name, { summary }]): Row => [`svc help ${name}`, summary]);
  return page(style, description, [
    ['USAGE', ['$ svc COMMAND [FLAGS]']],
    ['TOPICS', Object.entries(all.topics).map(([name, topic]) => [name, topic.description ?? ''])],
    ['COMMANDS', summaries(all, (id) => !id.includes(':'))],
    ['ENVIRONMENT', ENVIRONMENT_ROWS.slice(0, 3)],
    ['EXIT CODES', [SHORT_EXIT_CODES]],
    ['MORE', [['svc COMMAND --help', 'Flags and examples of a command'], ...pages, ['svc version', 'The version']]],
  ]);
}

export function renderTopic(topic: string, all: manifest.Manifest, style: HelpStyle): string {
  const sections: Section[] = [
    ['USAGE', [`$ svc ${topic} COMMAND [FLAGS]`]],
    ['COMMANDS', summaries(all, (id) => id.startsWith(`${topic}:`))],
  ];
  const note = `Flags and examples: svc ${topic} COMMAND --help`;
  return page(style, all.topics[topic]?.description ?? topic, sections, note);
}

export function renderHelpPage(name: string, style: HelpStyle): string {
  const { summary = '', rows = [], note = '' } = HELP_PAGES[name] ?? {};
  return page(style, summary, [['', rows]], note);
}

export function renderCommand(id: string, command: manifest.ManifestCommand, style: HelpStyle): string {
  const { summary = '', description = '', examples = [], exitCodes = {}, environment = [] } = command;
  const flags = Object.values(command.flags)
    .filter(({ hidden }) => hidden !== true)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const required = flags.filter((flag) => flag.required === true).map(manifest.flagForm);
  const usage = ['$ svc', manifest.commandWords(id), ...manifest.argumentForms(command), ...required, '[FLAGS]'];
  const args = Object.values(command.args).map(
    (arg): Row => [manifest.argumentName(arg), manifest.describeArgument(arg).replace(/\.$/, '')],
  );
  return page(style, summary, [
    ['USAGE', [usage.join(' ')]],
    ['ARGUMENTS', args],
    ['FLAGS', flags.filter(({ helpGroup }) => helpGroup !== 'GLOBAL').map(flagRow)],
    [
      'GLOBAL FLAGS',
      [...flags.filter(({ helpGroup }) => helpGroup === 'GLOBAL').map(flagRow), ['-h, --help', 'Show this help']],
    ],
    ['DESCRIPTION', description === '' ? [] : [manifest.expandTemplates(description)]],
    [
      'EXAMPLES',
      examples.flatMap((example, index) => {
        const { description: what, command: line } =
          typeof example === 'string' ? { description: '', command: example } : example;
        return [...(index === 0 ? [] : ['']), `${what}:`, `  $ ${manifest.expandTemplates(line)}`];
      }),
    ],
    ['EXIT CODES', [...Object.entries(exitCodes), 'Those of all commands: svc help exit-codes']],
    [
      'ENVIRONMENT',
      [...ENVIRONMENT_ROWS.filter(([name]) => environment.includes(name)), 'All variables: svc help environment'],
    ],
  ]);
}

function flagRow(flag: manifest.ManifestFlag): Row {
  const char = flag.char === undefined ? '    ' : `-${flag.char}, `;
  return [`${char}${manifest.flagForm(flag)}`, manifest.describeFlag(flag).replace(/\.$/, '')];
}

function summaries(all: manifest.Manifest, isListed: (id: string) => boolean): Row[] {
  const listed = manifest.shownCommands(all).filter(([id]) => isListed(id));
  return listed.map(([id, { summary = '' }]) => [manifest.commandWords(id), summary]);
}

/** Sections without content are left out. */
function page({ width, paint }: HelpStyle, intro: string, sections: readonly Section[], note?: string): string {
  const lines = sections.flatMap(([title, content]) => {
    if (content.length === 0) return [];
    const rows = content.filter((item) => typeof item !== 'string');
    const texts = content.filter((item) => typeof item === 'string').flatMap((text) => wrapItem(text, width));
    return ['', ...(title === '' ? [] : [paint('strong', title)]), ...twoColumns(rows, width), ...texts];
  });
  const end = note === undefined ? [] : ['', ...wrapText(note, width)];
  return `${[...wrapText(intro, width), ...lines, ...end].join('\n')}\n`;
}

function wrapItem(text: string, width: number): string[] {
  const [, indent = '', line] = /^( *)\$ (.*)$/s.exec(text) ?? [];
  if (line !== undefined) return wrapCommand(line, width, `  ${indent}$ `);
  return wrapText(text, width - 2).map((part) => `  ${part}`.trimEnd());
}

/** Returns two columns; the second is wrapped. A name that leaves it no room stands on a line of its own. */
function twoColumns(rows: readonly Row[], width: number): string[] {
  const widest = Math.max(1, width - TEXT_MIN - 4);
  const first = Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= widest));
  return rows.flatMap(([name, text]) => {
    const lines = wrapText(text, Math.max(TEXT_MIN, width - first - 4));
    const isBeside = name.length <= first;
    // A list of values, such as `--status success|warning|error`, breaks after a `|`.
    const parts = isBeside ? [] : fill(name.split(/(?<=\|)/), width - 2, '');
    return [
      ...parts.map((part, index) => (index === 0 ? `  ${part}` : `          ${part}`)),
      ...lines.map((line, index) => `  ${(isBeside && index === 0 ? name : '').padEnd(first)}  ${line}`.trimEnd()),
    ];
  });
}

/** Breaks a command line at the spaces between its words, so that it can be copied as it is. */
export function wrapCommand(line: string, width: number, prompt: string): string[] {
  const indent = ' '.repeat(prompt.length + 4);
  const lines = fill(line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [], width - indent.length - ' \\'.length, ' ');
  return lines.map((part, index) => `${index === 0 ? prompt : indent}${part}${index < lines.length - 1 ? ' \\' : ''}`);
}

/** Breaks text at spaces; line breaks are kept. */
function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => fill(paragraph.split(' '), width, ' '));
}

/** Puts as many pieces into each line as there is room for. */
function fill(pieces: readonly string[], width: number, separator: ' ' | ''): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const joined = lines.length === 0 ? piece : `${lines.at(-1)}${separator}${piece}`;
    if (lines.length > 0 && joined.length > width) lines.push(piece);
    else lines.splice(-1, 1, joined);
  }
  return lines;
}
