/**
 * Screens captured in real terminals and compared with the files in `screens/`. Also creates the pictures of `docs/screens.md`.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, NOW, startMockService } from './support/mock-service.ts';
import { BIN, buildCli } from './support/run-cli.ts';
import { renderPicture } from './support/screen-picture.ts';
import { hasTmux, openTerminal, quote, type Terminal, type TerminalOptions } from './support/terminal.ts';

const ESCAPE = '\u001b';
let service: MockService;
let terminal: Terminal;

describe.skipIf(!hasTmux())('screens', () => {
  beforeAll(async () => {
    await buildCli();
    service = await startMockService({ baseUrl: 'https://sync.example.com' });
  });
  afterAll(() => service.close());
  beforeEach(() => service.mock.reset());
  afterEach(() => terminal.close());

  async function open(options: Omit<TerminalOptions, 'server'>): Promise<void> {
    terminal = await openTerminal({ rows: 60, ...options, server: { url: service.url, apiKey: service.apiKey } });
  }

  /** The screen without the shell's prompt. */
  const output = () => `${terminal.screen().replace(/\nready\$$/, '')}\n`;
  /** The SGR codes on the screen. */
  const codes = () =>
    new Set(
      [...terminal.colors().matchAll(new RegExp(`${ESCAPE}\\[([\\d;]*)m`, 'g'))].flatMap(([, list]) =>
        list?.split(';'),
      ),
    );

  /** Saves the screen as a picture for the documentation. */
  async function keepPicture(name: string, argv: readonly string[], steady = (text: string) => text): Promise<void> {
    const colored = terminal.colors().split('\n').slice(0, output().trimEnd().split('\n').length).join('\n');
    const picture = renderPicture(['svc', ...argv].join(' '), steady(colored), 80);
    await expect(picture).toMatchFileSnapshot(`../../../docs/screens/${name}.svg`);
  }

  const LISTS = {
    status: ['status'],
    'status-long': ['status', '--long'],
    'syncs-list': ['syncs', 'list', '--from', '2026-01-15', '--to', NOW, '--limit', '12'],
    'syncs-explain': ['syncs', 'explain', '2629'],
    'syncs-list-errors': ['syncs', 'list', '--status', 'error', '--from', '2026-01-15', '--to', NOW],
    'blocklists-list': ['blocklists', 'list'],
    'outreach-lookup': ['outreach', 'lookup', 'replied@example.com'],
  };

  describe.each([80, 200])('%i columns', (columns) => {
    test.each(Object.entries(LISTS))('%s', async (name, argv) => {
      await open({ columns });
      terminal.svc(...argv);
      await terminal.shows(/\nready\$$/);
      for (const line of output().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      await expect(output()).toMatchFileSnapshot(`screens/${name}-${columns}.txt`);
      if (columns === 80) await keepPicture(name, argv);
      expect(await terminal.exitCode()).toBe(0);
    });

    test('status --watch', async () => {
      await open({ columns });
      terminal.svc('status', '--watch');
      await terminal.shows('Refreshes every 10 s; q quits');
      await expect(output()).toMatchFileSnapshot(`screens/status-watch-${columns}.txt`);
      if (columns === 80) await keepPicture('status-watch', ['status', '--watch']);
      terminal.press('q');
      expect(await terminal.exitCode()).toBe(0);
    });

    test('blocklists resync --wait', async () => {
      await open({ columns });
      const argv = ['blocklists', 'resync', '1', '4', '6', '8', '--wait', '--interval', '1s'];
      terminal.svc(...argv);
      await terminal.shows(/^8 .* fetching /m);
      await service.mock.clock.advance('3s');
      await terminal.shows(/^8 .* syncing /m);
      await terminal.shows('3 in progress');
      const steady = (text: string) => text.replace(/progress, \d+ s;/, 'progress, 4 s;');
      await expect(steady(output())).toMatchFileSnapshot(`screens/blocklists-resync-${columns}.txt`);
      if (columns === 80) await keepPicture('blocklists-resync', argv, steady);
      await service.mock.clock.advance('3s');
      await terminal.shows(/^8 .* synced /m);
      await terminal.shows(/\nready\$$/);
      await expect(output()).toMatchFileSnapshot(`screens/blocklists-resync-done-${columns}.txt`);
      if (columns === 80) await keepPicture('blocklists-resync-done', argv);
      expect(await terminal.exitCode()).toBe(10);
    });
  });

  test('top', async () => {
    await open({ columns: 80, rows: 24 });
    terminal.svc('top');
    await terminal.shows('412 pending');
    await terminal.shows(/^> 10:30:00Z/m);
    await terminal.shows(/^ +failed .*█$/m);
    await terminal.shows('source 4 smartlead');
    // The name has as many characters as the address of the mock.
    await keepPicture('top', ['top'], (text) => text.replace(/127\.0\.0\.1:\d{5}/, 'svc.example.com'));
    terminal.press('q');
    expect(await terminal.exitCode()).toBe(0);
  });

  describe('colours', () => {
    test('uses only basic colours and weights', async () => {
      await open({ columns: 80 });
      terminal.svc('status', '--watch');
      await terminal.shows('q quits');
      const found = codes();
      expect([...found]).toEqual(expect.arrayContaining(['31', '32', '33', '1', '2']));
      const allowed = ['0', '1', '2', '22', '31', '32', '33', '39', '49'];
      expect([...found].filter((code) => !allowed.includes(code ?? ''))).toEqual([]);
    });

    test.each([
      ['status', ['status'], /\nready\$$/],
      ['status --watch', ['status', '--watch'], 'q quits'],
      ['blocklists resync --wait', ['blocklists', 'resync', '1', '6', '--wait'], '1 in progress'],
      ['syncs list', LISTS['syncs-list'], /\nready\$$/],
    ])('NO_COLOR: %s has no colours', async (_name, argv, shown) => {
      await open({ columns: 80, env: { NO_COLOR: '1' } });
      terminal.svc(...argv);
      await terminal.shows(shown);
      expect(terminal.screen().split('\n').length).toBeGreaterThan(3);
      expect([...codes()].filter((code) => !['0', '39', '49'].includes(code ?? ''))).toEqual([]);
    });
  });

  test('TERM=dumb gets plain lines', async () => {
    await open({ columns: 80, env: { TERM: 'dumb' } });
    service.mock.configure({ blocklistFetchMs: 300, blocklistPushMs: 300 });
    service.mock.clock.resume();
    terminal.svc('blocklists', 'resync', '1', '--wait', '--interval', '1s');
    await terminal.shows('1 Customers: synced');
    expect(terminal.screen()).toContain('1 Customers: fetching');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('Ctrl-C keeps the screen, says how to continue and restores the terminal', async () => {
    await open({ columns: 80 });
    terminal.svc('blocklists', 'resync', '1', '4', '--wait');
    await terminal.shows(/^4 .* fetching /m);
    terminal.press('C-c');
    await terminal.shows('Error: Interrupted');
    expect(terminal.screen()).toMatch(/^1 +Customers +fetching /m);
    expect(terminal.screen()).toContain('Run the same command again to wait for them');
    expect(terminal.screen()).not.toContain('in progress');
    expect(await terminal.exitCode()).toBe(130);
  });

  test('SIGTERM restores the terminal', async () => {
    await open({ columns: 80 });
    // `exec` keeps the pid that the shell prints.
    const command = [process.execPath, BIN, 'status', '--watch'].map(quote).join(' ');
    terminal.type(`clear; sh -c 'echo pid=$$; exec "$0" "$@"' ${command}`);
    await terminal.shows('q quits');
    process.kill(Number(/^pid=(\d+)$/m.exec(terminal.screen())?.[1]), 'SIGTERM');
    expect(await terminal.exitCode()).toBe(143);
  });

  test('the whole status of the demo fits into 24 lines', async () => {
    await open({ columns: 80, rows: 24 });
    terminal.svc('status');
    await terminal.shows(/\nready\$$/);
    expect(terminal.screen()).toContain('Not ready (checked');
  });

  test('status and a help that goes through a pager break at words in 60 columns', async () => {
    await open({ columns: 60 });
    terminal.svc('status');
    await terminal.shows(/\nready\$$/);
    expect(terminal.screen()).toContain('failing since 2026-01-15\n    10:30Z on 1 HUBSPOT\n');
    await terminal.exitCode();
    terminal.type(`clear; ${[process.execPath, BIN, 'syncs', 'retry', '--help'].map(quote).join(' ')} | tail -n 50`);
    await terminal.shows(/\nready\$$/);
    expect(terminal.screen()).toContain('; with several: none of\n      them can\n');
    await terminal.exitCode();
  });

  test('redraws when the window is resized', async () => {
    await open({ columns: 200 });
    terminal.svc('status', '--watch');
    await terminal.shows('q quits');
    expect(terminal.screen()).toContain('ORGANIZATION');
    terminal.resize(80, 16);
    await terminal.shows(/^\.\.\.$/m);
    expect(terminal.screen()).toContain('Refreshes every 10 s; q quits');
    expect(terminal.screen()).not.toContain('ORGANIZATION');
    terminal.resize(200, 50);
    await terminal.shows('ORGANIZATION');
    terminal.press('q');
    // The final screen is complete, also after a small window.
    await terminal.shows(/blocklists_not_configured[^]*Not ready: [^]*\nready\$$/);
    expect(await terminal.exitCode()).toBe(0);
  });

  test.each([
    ['status --watch', ['status', '--watch'], 'q quits', /^Not ready \(checked/gm],
    ['blocklists resync --wait', ['blocklists', 'resync', '1', '--wait', '--timeout', '10'], '1 in progress', /^ID /gm],
  ])('%s is printed once, also when it is higher than the window', async (_name, argv, shown, head) => {
    await open({ columns: 80, rows: argv.length === 2 ? 24 : 6 });
    terminal.svc(...argv);
    await terminal.shows(shown);
    if (argv.length === 2) terminal.press('q');
    await terminal.shows(/\nready\$$/);
    expect(terminal.scrollback().match(head)).toHaveLength(1);
  });

  test('status --watch keeps the last answer while the service is down', async () => {
    await open({ columns: 80 });
    terminal.svc('status', '--watch', '--interval', '3s');
    await terminal.shows('q quits');
    const fault = service.mock.faults.add({
      operations: ['getAccountStatus'],
      effect: { kind: 'status', status: 503 },
    });
    await terminal.shows(/Showing the last answer\..* Retrying in 3 s; q quits/);
    await terminal.shows('Retrying in 2 s');
    expect(terminal.screen()).toContain('Not ready (checked');
    service.mock.faults.remove(fault.id);
    await terminal.shows('Refreshes every 3 s; q quits');
    terminal.press('q');
    expect(await terminal.exitCode()).toBe(0);
  });
});
