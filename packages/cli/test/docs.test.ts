import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderDocs } from '../scripts/render-docs.ts';
import type { Manifest, ManifestCommand } from '../src/command/manifest.ts';
import { buildCli } from './support/run-cli.ts';

const OPTIONS = { topics: { things: { description: 'What there is' } } };
const EXAMPLES = [
  { description: 'One', command: '<%= config.bin %> things get 1 | jq .' },
  { description: 'Two', command: '<%= config.bin %> <%= command.id %> 2' },
];
const globalFlag = { name: 'json', type: 'boolean', description: 'Print JSON', helpGroup: 'GLOBAL' } as const;
const retries = { name: 'max-retries', type: 'option', description: 'Attempts', helpGroup: 'GLOBAL' } as const;

function command(id: string, more: Partial<ManifestCommand> = {}): [id: string, ManifestCommand] {
  const flags = { json: globalFlag, 'max-retries': { ...retries, default: 3 } };
  return [id, { summary: `Summary of ${id}`, args: {}, flags, examples: EXAMPLES, ...more }];
}

function render(...commands: [string, ManifestCommand][]): string {
  return renderDocs({ commands: Object.fromEntries(commands) }, OPTIONS);
}

function section(text: string, heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

test('commands are sorted by name, under their topics', () => {
  const text = render(command('things:list'), command('status'), command('things:get'));
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'Flags of every command',
    'Environment variables',
    'Exit codes',
    'svc status',
    'svc things get',
    'svc things list',
  ]);
  expect(text).toContain(
    '- [`svc status`](#svc-status): Summary of status\n\n**things**: What there is\n\n- [`svc things get`](#svc-things-get)',
  );
});

test('a section has usage, arguments, flags, examples and exit codes', () => {
  const text = render(
    command('things:get', {
      description: 'Says <more> than `a*b`.',
      args: {
        id: { name: 'id', description: 'Which', required: true },
        more: { name: 'more', description: 'Others', multiple: true },
      },
      flags: {
        json: globalFlag,
        form: { name: 'form', char: 'f', type: 'option', options: ['a', 'b'], description: 'How', exclusive: ['json'] },
        limit: { name: 'limit', type: 'option', default: 50, description: 'How many', required: true },
        quiet: { name: 'quiet', type: 'boolean', description: 'Secret', hidden: true },
      },
      exitCodes: { '9': 'a | b' },
    }),
    command('things:list'),
  );
  expect(section(text, 'svc things get')).toBe(
    `svc things get

Summary of things:get.

\`\`\`
svc things get ID [MORE...] [-f, --form a|b] --limit VALUE
\`\`\`

Says &lt;more> than \`a*b\`.

| Argument | |
|---|---|
| \`ID\` | Which. |
| \`MORE...\` | Others. Optional. |

| Flag | |
|---|---|
| \`-f, --form a\\|b\` | How. Not with --json. |
| \`--limit VALUE\` | How many. Required. Default 50. |

One:

\`\`\`sh
svc things get 1 | jq .
\`\`\`

Two:

\`\`\`sh
svc things get 2
\`\`\`

| Exit code | in addition to [those of all commands](#exit-codes) |
|---|---|
| 9 | a \\| b |

`,
  );
});

test('common flags are listed once, and again where they differ', () => {
  const own = { json: globalFlag, 'max-retries': { ...retries, default: 0 } };
  const text = render(command('a'), command('b'), command('health', { flags: own }));
  expect(section(text, 'Flags of every command')).toContain('| `--max-retries VALUE` | Attempts. Default 3. |');
  expect(section(text, 'svc a')).not.toContain('max-retries');
  expect(section(text, 'svc health')).toContain('| `--max-retries VALUE` | Attempts. Default 0. |');
});

test('hidden commands are left out', () => {
  expect(render(command('a'), command('b', { hidden: true }))).not.toContain('svc b');
});

test.each([
  ['no commands', []],
  ['no summary', [command('a', { summary: '' })]],
  ['one example', [command('a', { examples: EXAMPLES.slice(1) })]],
  ['an example that is not explained', [command('a', { examples: ['svc a', 'svc a --json'] })]],
])('throws on %s', (_name, commands) => {
  expect(() => render(...commands)).toThrow(Error);
});

describe('the reference of the real commands', () => {
  let text: string;
  let manifest: Manifest;
  beforeAll(async () => {
    await buildCli();
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    manifest = read('../oclif.manifest.json');
    text = renderDocs(manifest, read('../package.json').oclif);
  });

  test('each command has a section, and every link leads to one', () => {
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    for (const id of Object.keys(manifest.commands)) expect(headings).toContain(`svc ${id.replaceAll(':', ' ')}`);
    const anchors = new Set(headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-')));
    const links = [...text.matchAll(/\]\(#([^)]*)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(headings.length - 3);
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  });

  test('contains no oclif templates', () => {
    expect(text).not.toContain('<%');
  });
});

test('docs/screens.md shows exactly the pictures in docs/screens/', () => {
  const docs = new URL('../../../docs/', import.meta.url);
  const shown = [...readFileSync(new URL('screens.md', docs), 'utf8').matchAll(/!\[[^\]]+\]\(screens\/(.+)\)/g)];
  const kept = readdirSync(new URL('screens/', docs));
  expect(kept.length).toBeGreaterThan(5);
  expect(shown.map(([, file]) => file).toSorted()).toEqual(kept.toSorted());
});
