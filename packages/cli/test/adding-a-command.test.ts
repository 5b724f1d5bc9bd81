/** What a new command needs beside its file (CONTRIBUTING.md, "Adding things"). Each failure names the file to edit. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { commandWords, type Manifest, type ManifestCommand, readManifest } from '../src/command/manifest.ts';
import type { CommandCase } from './support/command-case.ts';
import { COMMAND_CASES, TESTED_ELSEWHERE } from './support/command-cases.ts';
import { buildCli } from './support/run-cli.ts';

const FOLDER = new URL('../', import.meta.url);
const ROOT = new URL('../../', FOLDER);
const CASES = 'packages/cli/test/support/command-cases.ts';
const IDS = globSync('**/*.ts', { cwd: new URL('src/commands/', FOLDER) })
  .map((file) => file.replace(/\.ts$/, '').replaceAll(/[\\/]/g, ':'))
  .toSorted();

interface Place {
  readonly manifest: Manifest;
  readonly cases: Readonly<Record<string, readonly CommandCase[]>>;
  /** Exit codes that another test file proves. */
  readonly elsewhere: typeof TESTED_ELSEWHERE;
  /** The text of docs/cli.md. */
  readonly reference: string;
}

/** Returns a line for each thing that a command lacks: the file to edit, and what belongs there. */
function findLacks(id: string, { manifest, cases, elsewhere, reference }: Place): string[] {
  const file = `packages/cli/src/commands/${id.replaceAll(':', '/')}.ts`;
  const command: Partial<ManifestCommand> = manifest.commands[id] ?? {};
  const own = cases[id] ?? [];
  const codes = own.flatMap(({ code, exceptions }) => [code, ...Object.values(exceptions ?? {})]).map(String);
  const isAnswer = ({ code, exceptions = { why: '' }, until }: CommandCase) =>
    code === 0 || Object.values(exceptions).includes(0) || until !== undefined;
  const proven = [...codes, ...Object.keys(elsewhere[id] ?? {})];
  const unproven = Object.keys(command.exitCodes ?? {}).filter((code) => !proven.includes(code));
  const [topic = ''] = id.split(':');
  const lacks: readonly (readonly [boolean, string])[] = [
    [!command.summary, `${file}: \`static summary\``],
    [(command.examples ?? []).length < 2, `${file}: two \`static examples\``],
    [id.includes(':') && !manifest.topics[topic]?.description, `packages/cli/package.json: oclif.topics.${topic}`],
    [!own.some(isAnswer), `${CASES}: a case of ${id} that succeeds`],
    [own.every(isAnswer), `${CASES}: a case of ${id} that fails`],
    ...unproven.map((code) => [true, `${CASES}: a case of ${id} that exits with ${code}`] as const),
    [!reference.includes(`\n## svc ${commandWords(id)}\n`), 'docs/cli.md: write it with `npm run generate`'],
  ];
  return lacks.flatMap(([isLacking, line]) => (isLacking ? [line] : []));
}

let place: Place;
beforeAll(async () => {
  await buildCli();
  const reference = readFileSync(new URL('docs/cli.md', ROOT), 'utf8');
  place = { manifest: readManifest(FOLDER), cases: COMMAND_CASES, elsewhere: TESTED_ELSEWHERE, reference };
}, 120_000);

test('the bundle has the commands whose files exist', () => {
  expect(IDS.length).toBeGreaterThan(50);
  expect(Object.keys(place.manifest.commands).toSorted()).toEqual(IDS);
});

test.each(IDS)('%s has all that a command needs', (id) => {
  expect(findLacks(id, place)).toEqual([]);
});

test('there are cases only of commands that exist', () => {
  expect([...Object.keys(COMMAND_CASES), ...Object.keys(TESTED_ELSEWHERE)].filter((id) => !IDS.includes(id))).toEqual(
    [],
  );
});

test('what another file proves has no case here, and the file exists', () => {
  for (const [id, codes] of Object.entries(TESTED_ELSEWHERE)) {
    const own = (COMMAND_CASES[id] ?? []).map(({ code }) => String(code));
    expect([id, Object.keys(codes).filter((code) => own.includes(code))]).toEqual([id, []]);
  }
  const names = Object.values(TESTED_ELSEWHERE).flatMap((codes) => Object.values(codes));
  expect(names.filter((name) => !existsSync(new URL(`${name}.test.ts`, import.meta.url)))).toEqual([]);
});

/** Follows the guide for an invented command, one step at a time. */
test('each step of the guide mends the lack that names its file', () => {
  const id = 'things:count';
  const none: Place = { manifest: { commands: {}, topics: {} }, cases: {}, elsewhere: {}, reference: '' };
  const command = {
    summary: 'Count things',
    examples: [{ description: 'All', command: 'svc things count' }, 'svc things count --json'],
    exitCodes: { 9: 'there are none' },
    args: {},
    flags: {},
  };
  const withCommand: Place = { ...none, manifest: { commands: { [id]: command }, topics: {} } };
  const withTopic: Place = {
    ...withCommand,
    manifest: { ...withCommand.manifest, topics: { things: { description: 'Things' } } },
  };
  const withCases: Place = {
    ...withTopic,
    cases: {
      [id]: [
        { words: '', code: 0 },
        { words: 'x', code: 9 },
      ],
    },
  };
  const reference = '\n## svc things count\n';
  const afterEachStep = [none, withCommand, withTopic, withCases, { ...withCases, reference }].map((each) =>
    findLacks(id, each),
  );
  const cases = [
    `${CASES}: a case of things:count that succeeds`,
    `${CASES}: a case of things:count that fails`,
    `${CASES}: a case of things:count that exits with 9`,
  ];
  const docs = 'docs/cli.md: write it with `npm run generate`';
  expect(afterEachStep).toEqual([
    [
      'packages/cli/src/commands/things/count.ts: `static summary`',
      'packages/cli/src/commands/things/count.ts: two `static examples`',
      'packages/cli/package.json: oclif.topics.things',
      ...cases.slice(0, 2),
      docs,
    ],
    ['packages/cli/package.json: oclif.topics.things', ...cases, docs],
    [...cases, docs],
    [docs],
    [],
  ]);
});

test('the guide names every file that a lack names', () => {
  const text = readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8');
  const [, guide = ''] = /^- \*\*A command of `svc` that is no endpoint:\*\*([^]*?)\n- \*\*/m.exec(text) ?? [];
  for (const named of [
    'cli/src/commands/<topic>/<verb>.ts',
    'cli/package.json',
    CASES.slice('packages/'.length),
    'npm run generate',
  ])
    expect(guide).toContain(named);
});
