/** Every command, tool call and SDK call of the skill works as it is written, on the demo world of the mock. */
import { readFileSync } from 'node:fs';
import { createPlanBook } from '@svc/mcp/answers/plan-book';
import { READ_TOOLS, WEBHOOK_TOOLS, WRITE_TOOLS } from '@svc/mcp/tools/index';
import { createClient } from '@svc/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../../../scripts/readme-blocks.ts';
import type { Manifest } from '../src/command/manifest.ts';
import { type MockService, NOW, startMockService } from './support/mock-service.ts';
import { buildCli } from './support/run-cli.ts';
import { runInProcess } from './support/run-in-process.ts';

const FOLDER = new URL('../skills/sequencer-crm-sync/', import.meta.url);
const text = readFileSync(new URL('SKILL.md', FOLDER), 'utf8');
const [, frontmatter = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
const sections = body.split(/^## /m).slice(1);
const commands = sections.flatMap((section) => blocksOf(section, 'sh').flatMap((block) => block.trimEnd().split('\n')));
const inlineCommands = [...body.matchAll(/`svc ([^`]+)`/g)].map(([, words = '']) => words);
const toolCalls = [...body.matchAll(/`(svc_\w+) (\{.*?\})`/g)].map(([, name = '', args = '']) => [name, args] as const);
const snippets = blocksOf(body, 'ts').filter((block) => !block.includes('import '));

let service: MockService;
let present: MockService;
beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  present = await startMockService({ now: new Date() }, runInProcess);
});
afterAll(async () => {
  await Promise.all([service.close(), present.close()]);
});
beforeEach(() => service.mock.reset());

test('has the form of agentskills.io', () => {
  const fields = parse(frontmatter);
  expect(Object.keys(fields)).toEqual(['name', 'description', 'license', 'compatibility']);
  expect(FOLDER.pathname).toMatch(new RegExp(`/${fields.name}/$`));
  expect(fields.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(fields.description.length).toBeLessThanOrEqual(1024);
  expect(fields.compatibility.length).toBeLessThanOrEqual(500);
  expect(body.split('\n').length).toBeLessThan(500);
  // About 5,000 tokens.
  expect(body.length).toBeLessThan(18_000);
});

test('answers six questions, each with commands, a tool and a call of the SDK', () => {
  expect(sections.slice(1).map((section) => section.split('\n')[0])).toEqual([
    'Why did this not arrive in the CRM?',
    'May I contact this person?',
    'What is broken now?',
    'Retry what failed since a time',
    'What did we receive from a source?',
    'Is the block list current?',
  ]);
  for (const section of sections.slice(1)) {
    expect(section).toMatch(/^```sh\nsvc /m);
    expect(section).toMatch(/^MCP tools?: `svc_/m);
    expect(section).toMatch(/^```ts\n[^`]*client\./m);
  }
});

describe('commands', () => {
  test.each(commands)('%s', async (command) => {
    const [program, ...words] = command.split(' ');
    expect(program).toBe('svc');
    const waits = words.includes('--wait');
    // A waiting command looks for syncs that are newer than its start.
    const { code, stdout, stderr } = await (waits ? present : service).svc(...words);
    // The CRM of connection 2 refuses one event again.
    expect([code, stderr]).toEqual([waits ? 10 : 0, '']);
    // An empty list would prove nothing.
    expect(stdout.trim()).not.toMatch(/^(\[\s*\])?$/);
  });

  test.each(inlineCommands)('svc %s: command and flags exist', (line) => {
    const manifest: Manifest = JSON.parse(readFileSync(new URL('../oclif.manifest.json', import.meta.url), 'utf8'));
    const words = line.split(' ');
    const id = [words.slice(0, 2).join(':'), words[0] ?? ''].find((each) => each in manifest.commands) ?? '';
    const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    expect(Object.keys(manifest.commands[id]?.flags ?? {})).toEqual(expect.arrayContaining(flags));
  });
});

describe('MCP tools', () => {
  const tools = [...READ_TOOLS, ...WRITE_TOOLS, ...WEBHOOK_TOOLS];
  const now = () => Date.parse(NOW);

  test.each(toolCalls)('%s %s', async (name, args) => {
    const tool = tools.find((each) => each.name === name);
    const { mock, apiKey } = service;
    const client = createClient({ baseUrl: 'https://sync.example.com', apiKey, fetch: mock.fetch });
    const plans = createPlanBook({ secret: Buffer.alloc(32), principal: 'test', used: new Map(), now });
    const answer = await tool?.run(tool.input.parse(JSON.parse(args)), { client, now, plans, options: {} });
    if (answer !== undefined && 'rows' in answer) expect(answer.rows).not.toEqual([]);
    else expect(answer).toMatchObject({ record: expect.anything() });
    // The skill says so.
    const isPlan = answer !== undefined && 'plan' in answer && answer.plan !== undefined;
    expect(isPlan).toBe(tool?.hints.readOnlyHint === false);
  });

  test('every name is that of a tool', () => {
    const names = [...body.matchAll(/`(svc_\w+)[ `]/g)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'svc_' && !tools.some((tool) => tool.name === name))).toEqual([]);
  });
});

describe('calls of the SDK', () => {
  test.each(snippets)('%s', async (snippet) => {
    const { mock, apiKey } = service;
    const client = createClient({
      baseUrl: 'https://sync.example.com',
      apiKey,
      fetch: mock.fetch,
      sleep: (ms) => mock.clock.advance(ms),
      now: () => mock.clock.now.getTime(),
    });
    const lines: unknown[][] = [];
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (...args: unknown[]) => Promise<void>;
    await new AsyncFunction('client', 'console', snippet)(client, { log: (...line: unknown[]) => lines.push(line) });
    expect(lines).not.toEqual([]);
    expect(lines.flat().filter((value) => value === undefined)).toEqual([]);
  });
});
