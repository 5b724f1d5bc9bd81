/** An export in a real terminal. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, NOW, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { renderPicture } from '../support/screen-picture.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

describe.skipIf(!hasTmux())('syncs export in a terminal', () => {
  let service: MockService;
  let terminal: Terminal;
  beforeAll(async () => {
    await buildCli();
    // The clock stands still: request 121 and all later ones get 429 with a wait of a minute.
    service = await startMockService({ scenario: ['large'], rateLimit: 'spec' });
  });
  afterAll(() => service.close());
  afterEach(() => terminal.close());

  /** Seconds of the wait on the screen. */
  const secondsShown = () => Number(/rate limit: (?:waiting )?(\d+) s/i.exec(terminal.screen())?.[1]);

  /** Saves the first lines as a picture for the documentation, with constant times and rates. @param before lines above them */
  async function keepPicture(name: string, argv: readonly string[], lines: number, before = ''): Promise<void> {
    const screen = before + terminal.colors().split('\n').slice(0, lines).join('\n');
    const steady = screen
      .replace(/█+░+/, '██████░░░░░')
      .replace(/rate limit: (waiting )?\d+ s, .*$/m, 'rate limit: waiting 52 s, 58 s left');
    const picture = renderPicture(['svc', ...argv].join(' '), steady, 80);
    await expect(picture).toMatchFileSnapshot(`../../../../docs/screens/${name}.svg`);
  }

  test.each([60, 80, 200])(
    '%i columns: shows rows, percent, the wait and the time left; Ctrl-C says how to resume',
    async (columns) => {
      service.mock.reset();
      service.mock.configure({ rateLimit: 'spec' });
      const folder = mkdtempSync(join(tmpdir(), 'svc-export-screen-'));
      terminal = await openTerminal({ columns, server: service });
      terminal.type(`cd ${folder}`);
      const argv = ['syncs', 'export', '--from', '2025-12-16T12:00:00Z', '--to', NOW, '--output', 'rows.csv'];
      terminal.svc(...argv);
      // 59,000 rows: 2 of the 120 requests read the account and the count.
      await terminal.shows(/^█+░+ 59,000 (of 101,\d{3} )?syncs, 58 %, rate limit: (waiting )?\d\d s/m);
      const line = terminal.screen().split('\n')[0] ?? '';
      expect(line.length).toBeLessThan(columns);
      // The remaining requests fit into the next window.
      if (columns > 60) expect(line).toMatch(/, (1 min( \d+ s)?|[45]\d s) left$/);
      if (columns === 200) expect(line).toMatch(/, [\d,]+\/s, /);
      const before = secondsShown();
      await expect.poll(secondsShown).toBeLessThan(before);
      const progress = terminal.colors().split('\n')[0];
      terminal.press('C-c');
      await terminal.shows(/^ready\$$/m);
      if (columns === 80) await keepPicture('syncs-export', argv, 2, `${progress}\n`);
      expect(terminal.screen()).not.toContain('█');
      expect(terminal.screen().replaceAll(/\n */g, ' ')).toContain(
        'Error: Interrupted 59,000 syncs are kept; to resume: svc syncs export --output rows.csv --resume ready$',
      );
      expect(await terminal.exitCode()).toBe(130);
      expect(readdirSync(folder)).toEqual(['rows.csv.svc-export.json', 'rows.csv.svc-partial']);

      // A command without progress counts its wait down too, and leaves nothing of it.
      terminal.svc('whoami');
      await terminal.shows(/^Rate limit: waiting \d\d s$/m);
      const first = secondsShown();
      await expect.poll(secondsShown).toBeLessThan(first);
      service.mock.configure({ rateLimit: 'off' });
      terminal.press('C-c');
      await terminal.shows(/Error: Interrupted\n(.*\n)*ready\$$/);
      expect(terminal.screen()).not.toContain('waiting');

      terminal.svc('syncs', 'export', '--output', 'rows.csv', '--resume');
      await terminal.shows(/^Resuming after 59,000 syncs\nExported 101,\d{3} syncs to rows.csv\nready\$$/m);
      if (columns === 80)
        await keepPicture('syncs-export-resumed', ['syncs', 'export', '--output', 'rows.csv', '--resume'], 2);
      expect(await terminal.exitCode()).toBe(0);
    },
    600_000,
  );
});
