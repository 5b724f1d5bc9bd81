/** A check in a real terminal. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

describe.skipIf(!hasTmux())('outreach check in a terminal', () => {
  let service: MockService;
  let terminal: Terminal;
  beforeAll(async () => {
    await buildCli();
    // The clock stands still: look-up 601 and all later ones get 429 with a wait of a minute.
    service = await startMockService({ rateLimit: 'spec' });
  });
  afterAll(() => service.close());
  afterEach(() => terminal.close());

  test('shows rows, percent, the wait and the time left; Ctrl-C says how to resume', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-check-screen-'));
    const contacts = Array.from({ length: 1500 }, (_unused, n) => `kim${n}@example.org\n`);
    writeFileSync(join(folder, 'list.csv'), `email\n${contacts.join('')}`);
    terminal = await openTerminal({ columns: 80, server: service });
    terminal.type(`cd ${folder}`);
    terminal.svc('outreach', 'check', 'list.csv', '--output', 'out.csv');
    await terminal.shows(/^█+░+ 600 of 1,500 rows, 40 %, rate limit: (waiting )?\d\d s, (1|2) min( \d+ s)? left$/m);
    terminal.press('C-c');
    await terminal.shows(/^ready\$$/m);
    const screen = terminal.screen().replaceAll(/\n */g, ' ');
    expect(screen).toContain(
      '600 rows are kept; to resume: svc outreach check list.csv --output out.csv --resume ready$',
    );
    expect(await terminal.exitCode()).toBe(130);
    expect(readdirSync(folder)).toEqual(['list.csv', 'out.csv.svc-export.json', 'out.csv.svc-partial']);

    service.mock.configure({ rateLimit: 'off' });
    terminal.svc('outreach', 'check', 'list.csv', '--output', 'out.csv', '--resume');
    await terminal.shows('Resuming after 600 rows\nChecked 1,500 rows: 1,500 contactable to out.csv\nready$');
    expect(await terminal.exitCode()).toBe(0);
  }, 600_000);
});
