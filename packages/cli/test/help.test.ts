/** Help and version, however they are asked for. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../src/errors/exit-codes.ts';
import {
  HELP_PAGES,
  renderCommand,
  renderHelpPage,
  renderRoot,
  renderTopic,
  wrapCommand,
} from '../src/features/help/render.ts';
import { readManifest } from '../src/command/manifest.ts';
import { paintNothing } from '../src/terminal/colors.ts';
import { buildCli, type CliResult, runCli } from './support/run-cli.ts';
import { runInProcess } from './support/run-in-process.ts';

beforeAll(() => buildCli(), 120_000);

const toWords = (line: string) => line.split(' ').filter((word) => word !== '');
const svc = (line: string): Promise<CliResult> => runInProcess(toWords(line));

/** Returns the headings in order. */
const headings = (text: string) => [...text.matchAll(/^([A-Z][A-Z ]+)$/gm)].map(([, heading]) => heading);

test('the root help lists topics, commands, variables and exit codes', async () => {
  const { code, stdout, stderr } = await svc('--help');
  expect([code, stderr]).toEqual([0, '']);
  expect(headings(stdout)).toEqual(['USAGE', 'TOPICS', 'COMMANDS', 'ENVIRONMENT', 'EXIT CODES', 'MORE']);
  for (const text of ['  syncs ', '  status ', 'SVC_API_KEY', '4 not authenticated', 'svc help exit-codes'])
    expect(stdout).toContain(text);
});

test('the help of a command has its own flags before the global ones', async () => {
  const { stdout } = await svc('webhooks create --help');
  expect(headings(stdout)).toEqual([
    'USAGE',
    'FLAGS',
    'GLOBAL FLAGS',
    'DESCRIPTION',
    'EXAMPLES',
    'EXIT CODES',
    'ENVIRONMENT',
  ]);
  expect(stdout).toContain('  $ svc webhooks create --url URL [FLAGS]\n');
  const [own = '', globals = ''] = stdout.split('GLOBAL FLAGS');
  expect(own).toContain('--secret-file FILE');
  expect(own).not.toContain('--base-url');
  expect(globals).toContain('--base-url URL');
  expect(globals).toContain('  2  also an address that is not public, or the 21st webhook\n');
});

test('arguments, allowed values and variables of a command', async () => {
  expect((await svc('completion --help')).stdout).toContain('One of bash, zsh, fish');
  expect((await svc('syncs list --help')).stdout).toMatch(/--status success\|warning\|error {2,}\S/);
  expect((await svc('webhooks verify --help')).stdout).toContain('SVC_WEBHOOK_SECRET');
  expect((await svc('config path --help')).stdout).not.toContain('SVC_API_KEY');
});

test.each([
  [
    'syncs list --help',
    [
      'syncs list -h',
      'help syncs list',
      'syncs help list',
      '--help syncs list',
      'syncs list --limit 5 -h',
      'help syncs list extra',
    ],
  ],
  ['syncs --help', ['syncs', 'syncs -h', 'help syncs', 'syncs help']],
  ['--help', ['', '-h', 'help', 'help help', '--json --help']],
])('%s in other words', async (line, others) => {
  const { code, stdout } = await svc(line);
  expect([code, stdout]).not.toEqual([0, '']);
  for (const other of others)
    expect([other, await svc(other)]).toEqual([other, { code: 0, signal: null, stdout, stderr: '' }]);
});

test('the version, by word and by flag at any place', async () => {
  const first = await runCli(['--version']);
  expect(first.stdout).toMatch(/^@svc\/cli\/\d+\.\d+\.\d+ /);
  for (const line of ['-v', 'version', 'version --json', 'syncs -v', 'syncs list --version', '--json -v'])
    expect([line, await runCli(toWords(line))]).toEqual([line, first]);
  // After `--` it is an argument.
  expect((await svc('config get -- -v')).code).toBe(2);
});

describe('pages', () => {
  test('help exit-codes lists every code', async () => {
    const { code, stdout } = await svc('help exit-codes');
    expect(code).toBe(0);
    for (const known of Object.values(EXIT_CODES)) expect(stdout).toMatch(new RegExp(`^ +${known} `, 'm'));
  });

  test('help environment lists every variable of the README', async () => {
    const { code, stdout } = await svc('help environment');
    expect(code).toBe(0);
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const rows = [...readme.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    expect(rows.length).toBeGreaterThan(9);
    for (const name of rows) expect(stdout).toContain(name.replaceAll('`', ''));
  });
});

test('no command takes -h or -v for something else', () => {
  const manifest = JSON.parse(readFileSync(new URL('../oclif.manifest.json', import.meta.url), 'utf8'));
  const commands: { flags: Record<string, { char?: string }> }[] = Object.values(manifest.commands);
  const chars = commands.flatMap(({ flags }) => Object.values(flags).map(({ char }) => char));
  expect(chars).toContain('y');
  expect(chars).not.toContain('h');
  expect(chars).not.toContain('v');
});

describe.each([60, 80, 100])('at %i columns', (width) => {
  const style = { width, paint: paintNothing };
  const readCommands = () => readManifest(new URL('../', import.meta.url));

  test('every help breaks at words', () => {
    const manifest = readCommands();
    const pages = [
      renderRoot('The command line of the service', manifest, style),
      ...Object.keys(manifest.topics).map((topic) => renderTopic(topic, manifest, style)),
      ...Object.keys(HELP_PAGES).map((page) => renderHelpPage(page, style)),
      ...Object.entries(manifest.commands).map(([id, command]) => renderCommand(id, command, style)),
    ];
    const lines = pages.flatMap((page) => page.split('\n'));
    expect(lines.length).toBeGreaterThan(2000);
    // Only a single word, such as an address or a quoted expression, may be wider.
    expect(
      lines.filter(
        (line) =>
          line.length > width &&
          line
            .replace(/ \\$|'[^']*'/g, '')
            .trim()
            .includes(' '),
      ),
    ).toEqual([]);
  });

  test('a broken example is the same command', () => {
    for (const { examples = [] } of Object.values(readCommands().commands)) {
      for (const example of examples) {
        const line = typeof example === 'string' ? example : example.command;
        const [first = '', ...others] = wrapCommand(line, width, '$ ');
        expect([first.slice(2), ...others.map((each) => each.trim())].join('\n').replaceAll('\\\n', '')).toBe(line);
      }
    }
  });
});
