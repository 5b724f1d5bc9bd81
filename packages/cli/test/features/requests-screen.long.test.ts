import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

let service: MockService;
let terminal: Terminal;

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
});
afterEach(() => terminal.close());
afterAll(() => service.close());

describe.skipIf(!hasTmux())('in a terminal', () => {
  test('requests list names the commands that show whether a request was understood', async () => {
    terminal = await openTerminal({ columns: 200, server: service });
    terminal.svc('requests', 'list', '--from', '2026-01-14', '--to', '2026-01-15', '--limit', '2');
    await terminal.shows(
      'svc syncs list --request ID shows its syncs; on the server, svc-server requests show ID says why',
    );
    expect(await terminal.exitCode()).toBe(0);
  });

  test.each([
    [['--from', '2026-01-14', '--to', '2026-01-15'], ' --since 2026-01-14'],
    [['--all'], ' --all'],
  ])('requests get %j names the command that lists the syncs of the request', async (range, suffix) => {
    terminal = await openTerminal({ columns: 80, server: service });
    terminal.svc('requests', 'get', '6672', ...range);
    await terminal.shows(`See: svc syncs list --request 6672${suffix}\n`);
    expect(await terminal.exitCode()).toBe(0);
  });
});
