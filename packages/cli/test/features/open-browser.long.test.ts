/** `svc open` in a real terminal, with a program in BROWSER that only writes down what it is given. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

const URL_3 = 'https://sync.example.com/dashboard/connections/3';

describe.skipIf(!hasTmux())('svc open in a terminal', () => {
  let service: MockService;
  let terminal: Terminal;
  const folder = mkdtempSync(join(tmpdir(), 'svc-open-'));
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
  beforeAll(async () => {
    await buildCli();
    service = await startMockService({ baseUrl: 'https://sync.example.com' });
    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > ${opened}\n`);
    chmodSync(browser, 0o755);
  });
  afterAll(() => service.close());
  afterEach(() => terminal.close());

  const open = async (env: Record<string, string>) => {
    terminal = await openTerminal({ columns: 80, server: service, env });
  };

  test('starts BROWSER with the address', async () => {
    await open({ BROWSER: `${browser} --new-tab` });
    terminal.svc('open', 'connection', '3');
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toContain(`Opening ${URL_3}\n`);
    expect(readFileSync(opened, 'utf8')).toBe(`--new-tab\n${URL_3}\n`);
  });

  test('--no-browser only prints', async () => {
    writeFileSync(opened, '');
    await open({ BROWSER: browser });
    terminal.svc('open', 'connection', '3', '--no-browser');
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toContain(`${URL_3}\n`);
    expect(terminal.screen()).not.toContain('Opening');
    expect(readFileSync(opened, 'utf8')).toBe('');
  });

  test('prints the address without a desktop, and when BROWSER does not exist', async () => {
    // The environment of these tests has neither BROWSER nor DISPLAY.
    await open({});
    terminal.svc('open', 'docs');
    await terminal.shows(/^https:\/\/sync\.example\.com\/docs\nready\$$/m);
    terminal.close();
    await open({ BROWSER: join(folder, 'nothing') });
    terminal.svc('open', 'docs');
    await terminal.shows(/^No browser could be opened: .*\n(.*\n)?https:\/\/sync\.example\.com\/docs$/m);
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
    expect(await terminal.exitCode()).toBe(0);
  });
});
