import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli } from '../support/run-cli.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { hasTmux, openTerminal, quote, type Terminal, type TerminalOptions } from '../support/terminal.ts';

let service: MockService;
let terminal: Terminal;

beforeAll(async () => {
  await buildCli();
  service = await startMockService({}, runInProcess);
});
afterAll(() => service.close());
beforeEach(() => service.mock.reset());

describe.skipIf(!hasTmux())('svc top in a terminal', () => {
  afterEach(() => terminal.close());

  async function open(options: Partial<TerminalOptions> = {}, argv: readonly string[] = []): Promise<void> {
    terminal = await openTerminal({ columns: 80, rows: 24, server: service, ...options });
    terminal.svc('top', ...argv);
  }

  /** Fails unless the screen is whole: the first and the last line are where they belong. */
  function expectWhole(columns: number, rows: number): void {
    const lines = terminal.screen().split('\n');
    expect(lines).toHaveLength(rows);
    expect(lines[0]).toMatch(/^svc top {2}127\.0\.0\.1:\d+ .*Not ready/);
    expect(lines.at(-1)).toMatch(/q quit$/);
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns);
  }

  test('80x24, 200x60, too small, and back', async () => {
    await open();
    await terminal.shows(/^> 10:30:00Z +error +2657 /m);
    await terminal.shows('412 pending');
    for (const part of ['1 Connections', '2 Failing', '3 Rates', '5 Log', 'crm_disconnected'])
      expect(terminal.screen()).toContain(part);
    expectWhole(80, 24);
    terminal.resize(200, 60);
    await terminal.shows('NO SYNC YET');
    await terminal.shows(/failing for 1h.*Property values/);
    await expect.poll(() => terminal.screen().split('\n').length).toBe(60);
    expectWhole(200, 60);
    terminal.resize(60, 20);
    await terminal.shows('Too small: 60x20. svc top needs 80x24; q quits.');
    terminal.resize(80, 24);
    await terminal.shows('crm_disconnected');
    expectWhole(80, 24);
    terminal.press('q');
    expect(await terminal.exitCode()).toBe(0);
    // The terminal shows again what it showed before.
    expect(terminal.screen()).not.toContain('Connections');
  });

  test('e shows what svc syncs explain prints, and r retries the sync', async () => {
    await open({ columns: 200, rows: 60 });
    await terminal.shows(/^> 10:30:00Z +error +2657 /m);
    terminal.press('e');
    await terminal.shows(/What to do[^]*svc syncs retry 2657/);
    const explained = terminal.screen().split('\n').slice(2, -1).join('\n').trimEnd();
    terminal.press('r');
    await terminal.shows('Retry sync 2657 (EMAIL_SENT of quentin.dvorak@example.org)? [y/N]');
    terminal.press('n');
    await expect.poll(() => terminal.screen()).not.toContain('[y/N]');
    expect(service.mock.journal.find({ operation: 'retrySync' })).toEqual([]);
    terminal.press('r');
    terminal.press('y');
    await terminal.shows('The retry of sync 2657 became sync 2658: success.');
    terminal.press('Escape');
    await terminal.shows(/success +2658 /);
    terminal.press('q');
    expect(await terminal.exitCode()).toBe(0);

    service.mock.reset();
    terminal.svc('syncs', 'explain', '2657');
    await terminal.shows(/svc syncs retry 2657[^]*ready\$$/);
    expect(
      terminal
        .screen()
        .replace(/\nready\$$/, '')
        .trimEnd(),
    ).toBe(explained);
  });

  test('filters while typing, opens a row and goes back', async () => {
    await open();
    await terminal.shows(/^> 10:30:00Z +error +2657 /m);
    terminal.press('/');
    terminal.press('lem');
    await terminal.shows(/5 Log \/lem_ .* of \d+ rows/);
    await terminal.shows(/^> 02:44:23Z +success +2646 /m);
    // As it arrives when it is pasted.
    terminal.press('list\r');
    await terminal.shows(/5 Log \/lemlist ━.* of \d+ rows/);
    terminal.press('Enter');
    await terminal.shows(/^Recipient +jonas\.haas@example\.org$/m);
    terminal.press('Escape');
    await terminal.shows(/^> 02:44:23Z/m);
    terminal.press('Escape');
    await terminal.shows(/^> 10:30:00Z/m);
    terminal.press('?');
    await terminal.shows('explain a sync: what happened, and what to do');
    terminal.press('C-c');
    expect(await terminal.exitCode()).toBe(130);
  });

  test.each([
    ['q', 0],
    ['C-c', 130],
  ])('%s quits while requests hang', async (key, code) => {
    service.mock.faults.add({ effect: { kind: 'hang' } });
    await open();
    await terminal.shows('Connecting …');
    await expect.poll(() => service.mock.journal.find({ operation: 'getAccountStatus' }).length).toBe(1);
    terminal.press(key);
    expect(await terminal.exitCode()).toBe(code);
  });

  test('keeps the last answer while the service is down, and goes on when it is back', async () => {
    await open({}, ['--interval', '3s']);
    await terminal.shows('crm_disconnected');
    const fault = service.mock.faults.add({ effect: { kind: 'status', status: 503 } });
    await terminal.shows(/^svc top {2}Retrying in \d s: /);
    expect(terminal.screen()).toContain('crm_disconnected');
    service.mock.faults.remove(fault.id);
    terminal.press('R');
    await terminal.shows(/^svc top {2}127.*Not ready/);
    const { id } = await service.mock.db.syncs.create({
      ...{ status: 'error', connectionId: 1, sourceId: 1, createdAt: new Date('2026-01-15T11:59:00Z') },
      ...{ toEmail: '\u001b[2Jevil\u202e👩‍👩‍👧', error: { message: '\u001b[31mred' } },
    });
    await terminal.shows(new RegExp(`11:59:00Z +error +${id} .*u001b\\[2Jevil`));
    expectWhole(80, 24);
    service.mock.faults.add({ effect: { kind: 'status', status: 401 } });
    expect(await terminal.exitCode()).toBe(4);
  });

  test('NO_COLOR has no colours, and TERM=dumb gets one plain page', async () => {
    await open({ env: { NO_COLOR: '1' } });
    await terminal.shows(/^> 10:30:00Z/m);
    const codes = [...terminal.colors().matchAll(new RegExp(`${'\u001b'}\\[([\\d;]*)m`, 'g'))].map(([, code]) => code);
    expect(codes.filter((code) => !['', '0', '39', '49'].includes(code ?? ''))).toEqual([]);
    terminal.close();
    await open({ rows: 60, env: { TERM: 'dumb' } });
    await terminal.shows(/^10:30:00Z +error[^]*ready\$$/m);
    expect(await terminal.exitCode()).toBe(0);
  });

  test('the lines of SVC_LOG do not cover the screen', async () => {
    await open({ env: { SVC_LOG: 'info' } });
    await terminal.shows('Redirect them: svc top 2>svc.log');
    expect(await terminal.exitCode()).toBe(2);
  });

  test('a key without write scope is offered no retry', async () => {
    const apiKey = service.mock.keys.osapi_demo_read ?? '';
    await open({ server: { url: service.url, apiKey } });
    await terminal.shows('(read only)');
    await terminal.shows(/^> 10:30:00Z/m);
    expect(terminal.screen().split('\n').at(-1)).not.toContain('retry');
    terminal.press('r');
    await terminal.shows('This key cannot retry: it lacks the scope write.');
  });

  test('takes less than 5 % of a core while nothing happens', async () => {
    terminal = await openTerminal({ columns: 200, rows: 60, server: service });
    const folder = mkdtempSync(join(tmpdir(), 'svc-top-'));
    // `exec` keeps the pid that the shell writes.
    const start = ['sh', '-c', 'echo $$ > "$0"; exec "$@"', join(folder, 'pid')];
    const command = [...start, process.execPath, BIN, 'top', '--interval', '3s'];
    terminal.type(command.map(quote).join(' '));
    const polls = () => service.mock.journal.find({ operation: 'listSyncs' }).length;
    await terminal.shows('412 pending');
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
    // From one poll to the next. The first ones also read the trend, and the code is compiled meanwhile.
    const measureShare = async () => {
      const [count, startedAt, before] = [polls(), performance.now(), cpuMs(pid)];
      await vi.waitUntil(() => polls() > count, { timeout: 10_000 });
      return (cpuMs(pid) - before) / (performance.now() - startedAt);
    };
    await expect.poll(measureShare, { timeout: 60_000 }).toBeLessThan(0.05);
    terminal.press('q');
    expect(await terminal.exitCode()).toBe(0);
  });
});

/** The time that a process has used, in steps of 10 ms. */
function cpuMs(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  // Fields 14 and 15 of proc_pid_stat(5), counted from the third.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
