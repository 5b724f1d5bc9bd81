import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createMock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CheckFlags, runCheck } from '../../src/features/outreach/check-contacts.ts';
import { type MockService, NOW, startMockService } from '../support/mock-service.ts';
import { buildCli, collectResult, spawnCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';

let service: MockService;
let folder: string;
beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
  service.mock.snapshot('before');
});
afterAll(() => service.close());
beforeEach(() => {
  service.mock.restore('before');
  service.mock.journal.clear();
  folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
});

/** One row of each result, a repeated contact, and cells with quotes, separators and line breaks. */
const LIST = `\uFEFFName;E-Mail;LinkedIn URL;Note\r
Ada;replied@example.com;;"a;b"\r
"Bo ""B""";bounced@example.com;;"two
lines"\r
Cy;nope;;=1+1\r
Di;;;\r
Ed;REPLIED@example.com;;x\r
Fi;;linkedin.com/in/nobody;\r
Go;unsubscribed@example.com\r
Hu;kim@;;\r
`;
const SUMMARY = 'Checked 8 rows: 3 contactable, 2 blocked, 2 invalid, 1 without identity';
const NOTICE = 'Contacts are looked up by E-Mail, LinkedIn URL\n';

const save = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const check = (argv: readonly string[], options: Parameters<MockService['run']>[1] = {}) =>
  service.run(['outreach', 'check', ...argv], { cwd: folder, ...options });
const lookUps = () => service.mock.journal.find({ operation: 'getContactOutreach' }).length;
const rowsOf = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('what is printed', () => {
  beforeEach(() => save('list.csv', LIST));

  test('CSV: the unchanged file with added columns', async () => {
    const { code, stdout, stderr } = await check(['list.csv', '--fields', 'doNotContact.reasons,found']);
    expect([code, stderr]).toEqual([10, `${NOTICE}${SUMMARY}\n`]);
    expect(
      stdout,
    ).toBe(`\uFEFFName;E-Mail;LinkedIn URL;Note;outreach.result;outreach.error;outreach.doNotContact.reasons;outreach.found\r
Ada;replied@example.com;;"a;b";contactable;;;true\r
"Bo ""B""";bounced@example.com;;"two
lines";blocked;;bounced;true\r
Cy;nope;;=1+1;invalid;email is not an email address: it has no @;;\r
Di;;;;no_identity;;;\r
Ed;REPLIED@example.com;;x;contactable;;;true\r
Fi;;linkedin.com/in/nobody;;contactable;;;false\r
Go;unsubscribed@example.com;;;blocked;;unsubscribed;true\r
Hu;kim@;;;invalid;"email ""kim@"" is not one complete email address";;\r
`);
    // Ada and Ed are the same contact; Cy and Di cannot be looked up.
    expect(lookUps()).toBe(5);
  });

  test('JSON and NDJSON have the same data in an object, without block lists', async () => {
    const ndjson = await check(['list.csv', '--format', 'ndjson']);
    const json = await check(['list.csv', '--json']);
    expect([ndjson.code, json.code]).toEqual([10, 10]);
    expect(JSON.parse(json.stdout)).toEqual(rowsOf(ndjson.stdout));
    expect(rowsOf(ndjson.stdout)[1]).toEqual({
      Name: 'Bo "B"',
      'E-Mail': 'bounced@example.com',
      'LinkedIn URL': '',
      Note: 'two\nlines',
      outreach: {
        result: 'blocked',
        error: null,
        doNotContact: { value: true, reasons: ['bounced'] },
        found: true,
        summary: {
          everContacted: true,
          lastTouchAt: expect.stringMatching(/^20.*Z$/),
          lastEventType: 'EMAIL_BOUNCE',
          lastPlatform: 'instantly',
        },
        platforms: [{ platform: 'instantly' }],
        outcomes: { replied: false, lastCategoryName: null },
      },
    });
    expect(ndjson.stdout).not.toContain('blocklists');
    const all = await check(['list.csv', '--json', '--fields', 'doNotContact,query,email']);
    expect(all.stdout).not.toContain('blocklists');
  });

  test('--only omits all other rows, also invalid ones', async () => {
    const names = async (only: string) =>
      rowsOf((await check(['list.csv', '--only', only, '--format', 'ndjson'])).stdout).map(({ Name }) => Name);
    expect(await names('contactable')).toEqual(['Ada', 'Ed', 'Fi']);
    expect(await names('blocked')).toEqual(['Bo "B"', 'Go']);
    const { code, stderr } = await check(['list.csv', '--only', 'blocked', '-o', 'blocked.csv']);
    expect([code, stderr]).toEqual([10, `${NOTICE}${SUMMARY}; wrote the 2 blocked to blocked.csv\n`]);
    expect(read('blocked.csv').split('\r\n')).toHaveLength(4);
  });

  test.each(['json', 'ndjson'])('--jq works: %s', async (format) => {
    const expression = format === 'json' ? '.[].outreach.result' : '.outreach.result';
    const { stdout } = await check(['list.csv', '--format', format, '--jq', expression]);
    expect(stdout.split('\n').slice(0, 3)).toEqual(['contactable', 'blocked', 'invalid']);
  });

  test('into a file prints a summary, with --json as JSON', async () => {
    const plain = await check(['list.csv', '-o', 'out.csv']);
    expect([plain.code, plain.stdout, plain.stderr]).toEqual([10, '', `${NOTICE}${SUMMARY} to out.csv\n`]);
    const json = await check(['list.csv', '-o', 'out.json', '--only', 'blocked', '--json']);
    expect([json.code, json.stderr]).toEqual([10, '']);
    expect(JSON.parse(json.stdout)).toEqual({
      ...{ checked: 8, contactable: 3, blocked: 2, invalid: 2, noIdentity: 1, errors: 0 },
      ...{ columns: ['E-Mail', 'LinkedIn URL'], rows: 2, file: 'out.json' },
    });
    expect(JSON.parse(read('out.json'))).toHaveLength(2);
    const packed = await check(['list.csv', '-o', 'out.csv.gz']);
    expect(packed.code).toBe(10);
    expect(gunzipSync(readFileSync(join(folder, 'out.csv.gz'))).toString()).toBe(read('out.csv'));
    expect(readdirSync(folder).toSorted()).toEqual(['list.csv', 'out.csv', 'out.csv.gz', 'out.json']);
  });

  test('reads stdin, and accepts the output of an earlier check', async () => {
    const first = await check(['list.csv', '--fields', 'found']);
    const again = await check(['-', '--fields', 'found'], { stdin: first.stdout });
    expect([again.code, again.stdout]).toEqual([10, first.stdout]);
  });

  test('exits with 0 when the reader closes the pipe', async () => {
    save('long.csv', `email\n${'n@example.com\n'.repeat(100_000)}`);
    const child = spawnCli(['outreach', 'check', 'long.csv'], { server: service, cwd: folder });
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect((await collectResult(child)).code).toBe(0);
  });
});

test('a file with only a header has no rows', async () => {
  save('none.csv', 'email\n');
  const plain = await check(['none.csv', '--fields', 'found']);
  expect([plain.code, plain.stdout]).toEqual([0, 'email,outreach.result,outreach.error,outreach.found\n']);
  expect(plain.stderr).toContain('Checked 0 rows\n');
  expect((await check(['none.csv', '--json'])).stdout).toBe('[]\n');
});

test('an open pipe does not keep a failed check running', async () => {
  const child = spawnCli(['outreach', 'check', '-'], { server: service, cwd: folder });
  child.stdin?.write('name\nKim\n');
  const { code, stderr } = await collectResult(child);
  expect(code).toBe(2);
  expect(stderr).toContain('Columns: 1 name.');
});

test('stdin that is closed or empty is an empty file', async () => {
  const { code, stderr } = await check(['-'], { stdin: '' });
  expect([code, stderr]).toEqual([2, 'Error: stdin is empty\n  The first line must name the columns.\n']);
});

test("with the contract's limits: the first 429 sets the pace, none follows, and waits are minimal", async () => {
  const mock = createMock({ now: NOW, rateLimit: 'spec' });
  const waits: number[] = [];
  let sleeping: Promise<void> | null = null;
  const client = createClient({
    baseUrl: 'http://svc.test',
    apiKey: mock.keys.osapi_demo_read,
    fetch: mock.fetch,
    now: () => mock.clock.now.getTime(),
    // Look-ups that wait at the same time share one advance of the clock.
    sleep: async (ms) => {
      sleeping ??= mock.clock.advance(ms).then(() => {
        waits.push(ms);
        sleeping = null;
      });
      await sleeping;
    },
  });
  const contacts = Array.from({ length: 1500 }, (_unused, n) => `kim${n}@example.org\n`);
  writeFileSync(join(folder, 'list.csv'), `email\n${contacts.join('')}${contacts.join('')}`);
  const flags: CheckFlags = {
    ...{ output: join(folder, 'out.csv'), json: false, resume: false, restart: false },
    ...{ timeout: 30, 'max-retries': 3 },
  };
  try {
    const code = await runCheck({
      bin: 'svc',
      file: join(folder, 'list.csv'),
      parse: async () => flags,
      connect: () => ({ client, baseUrl: 'http://svc.test' }),
    });
    expect(code).toBe(0);
    const calls = mock.journal.find({ operation: 'getContactOutreach' });
    expect(calls.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(1500);
    expect(calls).toHaveLength(1501);
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2 * 60_000 * 1.05);
    expect(read('out.csv').trimEnd().split('\n')).toHaveLength(3001);
  } finally {
    await mock.close();
  }
}, 600_000);
