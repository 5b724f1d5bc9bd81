/** Checks that are interrupted and resumed. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
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

const KNOWN = [
  'bounced@example.com',
  'replied@example.com',
  'unsubscribed@example.com',
  'category@example.com',
  '',
  'x',
];
/** Every second contact is one of `KNOWN`. */
const listOf = (count: number) =>
  `name,email\n${Array.from({ length: count }, (_unused, n) => `Kim ${n},${n % 2 === 0 ? `kim${n}@example.org` : KNOWN[n % KNOWN.length]}\n`).join('')}`;
const read = (name: string) => readFileSync(join(folder, name));
const lookUps = () => service.mock.journal.find({ operation: 'getContactOutreach' }).length;
const check = (argv: readonly string[], stdin = '') =>
  service.run(['outreach', 'check', ...argv], { cwd: folder, stdin });

/** Sends the signal while a look-up hangs and the checkpoint has at least 150 rows. */
async function interrupt(argv: readonly string[], signal: NodeJS.Signals, stdin = '') {
  const fault = { operations: ['getContactOutreach'], nth: 120, effect: { kind: 'hang' } } as const;
  const { id } = service.mock.faults.add(fault);
  const child = spawnCli(['outreach', 'check', ...argv], { server: service, cwd: folder });
  child.stdin?.end(stdin);
  const ended = collectResult(child);
  const state = () => readdirSync(folder).find((name) => name.endsWith('.svc-export.json'));
  const recordsKept = () => {
    const line =
      read(state() ?? 'none')
        .toString()
        .trimEnd()
        .split('\n')
        .at(-1) ?? '';
    return JSON.parse(line).input.records;
  };
  await expect.poll(recordsKept).toBeGreaterThanOrEqual(150);
  child.kill(signal);
  service.mock.faults.remove(id);
  return { ...(await ended), kept: recordsKept() };
}

describe('an interrupted check', () => {
  beforeEach(() => writeFileSync(join(folder, 'list.csv'), listOf(400)));

  test.each([
    ['out.csv'],
    ['out.ndjson.gz'],
    ['out.json'],
    ['out.csv', '--only', 'blocked'],
    ['out.json.gz', '--only', 'contactable', '--email-column', 'email', '--fields', 'found'],
  ])('is resumed after SIGKILL with the same bytes: %j', async (output, ...flags) => {
    const whole = await check(['list.csv', '-o', `whole-${output}`, ...flags, '--json']);
    expect(whole.code).toBe(10);
    const asked = lookUps();
    service.mock.journal.clear();

    const { signal, kept } = await interrupt(['list.csv', '-o', output, ...flags], 'SIGKILL');
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(folder)).not.toContain(output);
    service.mock.journal.clear();
    const rest = await check(['list.csv', '-o', output, '--resume', '--json']);
    expect([rest.code, rest.stderr]).toEqual([10, '']);
    expect(read(output).equals(read(`whole-${output}`))).toBe(true);
    expect({ ...JSON.parse(rest.stdout), file: '' }).toEqual({ ...JSON.parse(whole.stdout), file: '' });
    expect(kept % 50).toBe(0);
    // Kept rows are not looked up again; a few contacts are in both parts.
    expect(lookUps()).toBeLessThan(asked - kept / 2 + KNOWN.length);
    expect(readdirSync(folder).toSorted()).toEqual(['list.csv', output, `whole-${output}`].toSorted());
  });

  test.each(['out.csv', 'out.json.gz'])('repeats look-ups that failed at the service: %s', async (output) => {
    await check(['list.csv', '-o', `whole-${output}`]);
    const fault = { operations: ['getContactOutreach'], nth: 60, times: 1 } as const;
    service.mock.faults.add({ ...fault, effect: { kind: 'status', status: 500 } });
    const { stderr } = await interrupt(['list.csv', '-o', output, '--max-retries', '0'], 'SIGINT');
    expect(stderr).toMatch(/\n {2}(50|100) rows are kept; to resume: /);
    const rest = await check(['list.csv', '-o', output, '--resume']);
    expect(rest.stderr).toMatch(/^Resuming after (50|100) rows\nChecked 400 rows: /);
    expect(read(output).equals(read(`whole-${output}`))).toBe(true);
  });

  test('repeats a failed page once: if it fails again, the row stays an error', async () => {
    // Each contact once: whichever look-up comes first, it belongs to one row.
    writeFileSync(
      join(folder, 'list.csv'),
      `email\n${Array.from({ length: 400 }, (_, n) => `kim${n}@example.org\n`).join('')}`,
    );
    /** Runs a check that fails at one contact and ends at the 130th. @returns how many rows are kept */
    async function failAt(nth: number, ...flags: string[]) {
      const fault = { operations: ['getContactOutreach'], times: 1 } as const;
      service.mock.faults.add({ ...fault, nth, effect: { kind: 'status', status: 500 } });
      service.mock.faults.add({ ...fault, nth: 130, effect: { kind: 'status', status: 403 } });
      const { stderr } = await check(['list.csv', '-o', 'out.csv', '--max-retries', '0', ...flags]);
      return Number(/ (\d+) rows are kept; to resume: /.exec(stderr)?.[1]);
    }
    // Both fail in the second page, also when look-ups of the check before arrive late.
    expect([await failAt(75), await failAt(25, '--resume')]).toEqual([50, 150]);
    const rest = await check(['list.csv', '-o', 'out.csv', '--resume']);
    expect(rest.stderr).toMatch(/^Resuming after 150 rows\nChecked 400 rows: /);
    expect([rest.code, rest.stderr]).toEqual([10, expect.stringContaining(', 1 with a service error')]);
  });

  test('Ctrl-C says how to resume', async () => {
    const { code, stderr, kept } = await interrupt(['list.csv', '-o', 'my list.csv'], 'SIGINT');
    expect(code).toBe(130);
    const command = "svc outreach check list.csv --output 'my list.csv' --resume";
    expect(stderr).toContain(`Error: Interrupted\n  ${kept} rows are kept; to resume: ${command}\n`);
    const again = await check(['list.csv', '-o', 'my list.csv']);
    expect([again.code, again.stderr]).toEqual([
      2,
      `Error: An export to my list.csv was interrupted after ${kept} rows\n  To resume: ${command}\n  To start over: add --restart.\n`,
    ]);
    const rest = await check(['list.csv', '-o', 'my list.csv', '--resume']);
    expect(rest.stderr).toMatch(new RegExp(`^Resuming after ${kept} rows\nChecked 400 rows: `));
  });

  test('cannot be resumed when the result would differ', async () => {
    await interrupt(['list.csv', '-o', 'out.csv', '--only', 'blocked'], 'SIGKILL');
    const refused = async (...argv: string[]) => {
      const { code, stderr } = await check([...argv, '-o', 'out.csv', '--resume']);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('list.csv', '--only', 'contactable')).toContain('--only contactable does not match');
    expect(await refused('list.csv', '--profile-url-column', 'name')).toContain('was started without it');
    // Changes far after the checkpoint, at the beginning, and a shorter file.
    for (const text of [`${listOf(400)}New,new@example.org\n`, listOf(400).replace('Kim 0', 'Kim'), listOf(10)]) {
      writeFileSync(join(folder, 'other.csv'), text);
      expect(await refused('other.csv')).toContain('other.csv has changed since the check was started');
    }
    const other = await service.run(['syncs', 'export', '-o', 'out.csv', '--resume', '--since', '1d'], { cwd: folder });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('was started by svc outreach check')]);
    const anew = await check(['list.csv', '-o', 'out.csv', '--restart', '--only', 'contactable']);
    expect([anew.code, readdirSync(folder).toSorted()]).toEqual([10, ['list.csv', 'other.csv', 'out.csv']]);
  });

  test('a check of stdin can be resumed with the same input', async () => {
    const text = listOf(400);
    await check(['list.csv', '-o', 'whole.csv']);
    await interrupt(['-', '-o', 'out.csv'], 'SIGTERM', text);
    const refused = await check(['-', '-o', 'out.csv', '--resume'], text.replace('Kim 3', 'Kim'));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('stdin has changed')]);
    const rest = await check(['-', '-o', 'out.csv', '--resume'], text);
    expect([rest.code, read('out.csv').equals(read('whole.csv'))]).toEqual([10, true]);
  });
});
