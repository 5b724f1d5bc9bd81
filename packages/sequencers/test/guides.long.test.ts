/**
 * Follows the guides "A sequencer", "An event type" and, as far as the contract, "A setting of a source" of CONTRIBUTING.md in a copy of the packages that they name. While a file is
 * missing, a message says which.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, run, tool } from '../../../scripts/processes.ts';
import { missingParts } from './platform-parts.ts';

const PACKAGES = ['contract', 'domain', 'sequencers', 'crm'];
const PLATFORM = 'pigeon-post';
const EVENT_TYPE = 'PIGEON_ARRIVED';
let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'svc guides '));
  cpSync(join(root, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'));
  cpSync(join(root, 'README.md'), join(copy, 'README.md'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  for (const name of PACKAGES) {
    const from = join(root, 'packages', name);
    for (const part of ['package.json', 'openapi.yaml', 'scripts', 'src', 'test']) {
      if (existsSync(join(from, part)))
        cpSync(join(from, part), join(copy, 'packages', name, part), { recursive: true });
    }
    linkModules(join(from, 'node_modules'), join(copy, 'packages', name, 'node_modules'));
  }
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: './tsconfig.base.json',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['packages/*/src/**/*.test.ts', 'packages/*/src/**/*.fixture.ts'],
    }),
  );
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Links the dependencies of a package, those of the workspace to their copies. */
function linkModules(from: string, to: string): void {
  mkdirSync(join(to, '@svc'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@svc') symlinkSync(join(from, name), join(to, name), 'dir');
  }
  for (const name of PACKAGES) symlinkSync(join(copy, 'packages', name), join(to, '@svc', name), 'dir');
}

/** Changes a file of the copy. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(copy, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(copy, file), text.replace(from, to));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

/** Returns the compiler's errors, one a line. */
async function typeErrors(): Promise<string[]> {
  const kept = ['--incremental', '--tsBuildInfoFile', '.tsbuildinfo'];
  const { output } = await run(tool('tsc'), ['-p', '.', '--pretty', 'false', '--checkers', '1', ...kept], {
    cwd: copy,
    env: { GOGC: '400' },
  });
  return output.split('\n').filter((line) => /error TS/.test(line));
}

async function node(...args: string[]): Promise<string> {
  const { code, output } = await run(process.execPath, args, { cwd: copy });
  expect({ code, output }).toMatchObject({ code: 0 });
  return output;
}

/** The rows that `events/platforms.ts` of the copy has. */
function rowsOf(): string[] {
  const text = readFileSync(join(copy, 'packages/sequencers/src/events/platforms.ts'), 'utf8');
  return text.includes(`'${PLATFORM}': {`) ? [PLATFORM] : [];
}
const missing = () => missingParts(PLATFORM, pathToFileURL(`${copy}/`), rowsOf());

test('a sequencer, an event type and a setting of a source, file by file', { timeout: 600_000 }, async () => {
  // 1. The contract. Everything else is named by a message.
  edit('packages/contract/openapi.yaml', 'salesloft, outreach]', `salesloft, outreach, ${PLATFORM}]`);
  edit(
    'packages/contract/openapi.yaml',
    '            - CALL_COMPLETED\n',
    `            - CALL_COMPLETED\n            - ${EVENT_TYPE}\n`,
  );
  edit(
    'packages/contract/openapi.yaml',
    'required: [createOrUpdateCompany,',
    'required: [sendPigeon, createOrUpdateCompany,',
  );
  edit(
    'packages/contract/openapi.yaml',
    '        createOrUpdateCompany:\n',
    '        sendPigeon:\n          type: boolean\n        createOrUpdateCompany:\n',
  );
  await node('packages/contract/scripts/generate.ts');
  expect(await typeErrors()).toEqual([
    expect.stringMatching(/^packages\/contract\/src\/schemas\/sources.ts.*'sendPigeon' is missing/),
    expect.stringMatching(/^packages\/contract\/src\/schemas\/sources.ts.*'sendPigeon' is missing/),
    expect.stringMatching(new RegExp(`^packages/contract/src/vocabulary.ts.*'${EVENT_TYPE}' is missing`)),
    expect.stringMatching(new RegExp(`^packages/crm/src/events/activities.ts.*'${EVENT_TYPE}' is missing`)),
    expect.stringMatching(new RegExp(`^packages/sequencers/src/events/platforms.ts.*'"?${PLATFORM}"?' is missing`)),
  ]);
  expect(missing()).toEqual([
    `${PLATFORM}: packages/sequencers/src/events/${PLATFORM}.ts: write the adapter`,
    `${PLATFORM}: packages/sequencers/src/events/platforms.ts: add a row with the adapter to SEQUENCERS`,
    `${PLATFORM}: fixtures/payloads/${PLATFORM}.json: add at least one "ordinary" payload that gives events`,
    expect.stringContaining(`${PLATFORM}: fixtures/payloads/${PLATFORM}.json: add at least three "published" payloads`),
    expect.stringContaining(`${PLATFORM}: docs/sequencers/${PLATFORM}.md: write how it is connected`),
  ]);

  // 2. The setting: its place in the schema and its default, from which worlds, rows and flags follow.
  edit(
    'packages/contract/src/schemas/sources.ts',
    '  createOrUpdateTask: z.boolean(),',
    '  createOrUpdateTask: z.boolean(),\n  sendPigeon: z.boolean(),',
  );

  edit(
    'packages/contract/src/schemas/sources.ts',
    '  createOrUpdateTask: false,',
    '  createOrUpdateTask: false,\n  sendPigeon: false,',
  );

  // 3. The event type: its touch class, and its row for the CRMs.
  edit(
    'packages/contract/src/vocabulary.ts',
    '  CALL_COMPLETED: {',
    `  ${EVENT_TYPE}: { contacted: true },\n  CALL_COMPLETED: {`,
  );
  edit(
    'packages/crm/src/events/activities.ts',
    '  CALL_COMPLETED: {',
    `  ${EVENT_TYPE}: { kind: 'message', label: 'Pigeon arrived' },\n  CALL_COMPLETED: {`,
  );

  // 4. The sequencer: its row, then its adapter, which sends the event type.
  const platforms = 'packages/sequencers/src/events/platforms.ts';
  edit(
    platforms,
    '\n};',
    `\n  '${PLATFORM}': { name: 'Pigeon Post', parse: parsePigeonPost, coverage: 'full', check: null },\n};`,
  );
  edit(platforms, 'import type { Seq', `import { parsePigeonPost } from './${PLATFORM}.ts';\nimport type { Seq`);
  expect(await typeErrors()).toEqual([
    expect.stringMatching(new RegExp(`^packages/sequencers/src/events/platforms.ts.*'./${PLATFORM}.ts'`)),
  ]);
  write(
    `packages/sequencers/src/events/${PLATFORM}.ts`,
    `import { BLANK_CONTACT, withBlanks } from './blank-event.ts';
import { toBodyKey } from './event-key.ts';
import { toEmailAddress } from './field-values.ts';
import { field, type JsonObject } from './json-fields.ts';
import type { ItemContext, ItemResult } from './types.ts';

export function parsePigeonPost(item: JsonObject, context: ItemContext): ItemResult {
  const email = toEmailAddress(field(item, 'addressee'));
  if (email === null) return { outcome: 'unparsed', reason: 'no addressee' };
  const contact = { ...BLANK_CONTACT, email };
  const event = { eventKey: toBodyKey(context), eventType: '${EVENT_TYPE}', toEmail: email, occurredAt: null, contact };
  return { outcome: 'event', event: withBlanks(event) };
}
`,
  );
  expect(await typeErrors()).toEqual([]);

  // 5. Its payloads and its page.
  const body = { addressee: 'kim@example.org' };
  const published = { kind: 'published', source: 'https://pigeon.example.com/docs', readOn: '2026-11-26', body };
  const payloads = [
    { name: 'arrived', kind: 'ordinary', body },
    ...['a', 'b', 'c'].map((name) => ({ name, ...published })),
  ];
  write(
    `fixtures/payloads/${PLATFORM}.json`,
    JSON.stringify(payloads.map((payload) => ({ ...payload, expect: { outcome: 'events' } }))),
  );
  expect(missing()).toHaveLength(1);
  write(`docs/sequencers/${PLATFORM}.md`, '# Pigeon Post\n');
  expect(missing()).toEqual([]);

  // Nothing else is needed: its events are read, the CRMs know what to make of them, and the README follows.
  const script = `
    import { normalize } from '@svc/sequencers';
    import { touchFlags } from '@svc/domain/contacts/outreach';
    import { activityOf } from './packages/crm/src/events/activities.ts';
    const input = { headers: {}, body: ${JSON.stringify(body)}, bodyHash: 'f'.repeat(64) };
    const { events } = normalize({ platform: '${PLATFORM}', mapping: null }, input);
    const [{ eventType, toEmail }] = events;
    console.log(JSON.stringify({ eventType, toEmail, flags: touchFlags(eventType), ...activityOf(eventType) }));`;
  write('packages/crm/read.ts', script.replaceAll('./packages/crm/', './'));
  expect(JSON.parse(await node('packages/crm/read.ts'))).toEqual({
    eventType: EVENT_TYPE,
    toEmail: 'kim@example.org',
    flags: { contacted: true },
    kind: 'message',
    label: 'Pigeon arrived',
  });
  await node('packages/sequencers/scripts/readme-table.ts');
  expect(readFileSync(join(copy, 'README.md'), 'utf8')).toContain(
    `| [Pigeon Post](docs/sequencers/${PLATFORM}.md) | full | | |`,
  );
});
