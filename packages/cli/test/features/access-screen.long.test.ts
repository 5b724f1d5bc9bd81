import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { buildCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

let service: MockService;
let terminal: Terminal;
const SVC_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'svc-access-screen-'));

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
});
afterAll(() => service.close());
afterEach(() => terminal.close());

const open = async (apiKey: string) => {
  terminal = await openTerminal({ columns: 80, server: { url: service.url, apiKey }, env: { SVC_CONFIG_DIR } });
};
const names = () => Object.keys(JSON.parse(readFileSync(join(SVC_CONFIG_DIR, 'profiles.json'), 'utf8')).profiles);

describe.skipIf(!hasTmux())('in a terminal', () => {
  test('login does not show the key, and Ctrl-C ends it', async () => {
    await open('');
    terminal.svc('login');
    await terminal.shows(/API key for http\S+:/);
    terminal.press('C-c');
    expect(await terminal.exitCode()).toBe(130);
    terminal.svc('login', '--profile', 'typed');
    // At the end of the screen: the first prompt may still be above.
    await terminal.shows(/API key for http\S+:\s*$/);
    terminal.type(service.apiKey);
    await terminal.shows('Stored as profile typed:');
    expect(terminal.screen()).not.toContain(service.apiKey);
    expect(await terminal.exitCode()).toBe(0);
  });

  test('logout --all asks for confirmation', async () => {
    await open('');
    for (const [key, code] of [
      ['C-c', 130],
      ['Enter', 130],
      ['y', 0],
    ] as const) {
      expect(names()).toEqual(['typed']);
      terminal.svc('logout', '--all');
      await terminal.shows('Remove the keys of typed? [y/N]');
      terminal.press(key);
      if (key === 'y') terminal.press('Enter');
      expect(await terminal.exitCode()).toBe(code);
    }
    expect(names()).toEqual([]);
  });

  test('api indents JSON', async () => {
    await open(service.apiKey);
    terminal.svc('api', '/health/live');
    await terminal.shows('{\n  "status": "ok"\n}\n');
    expect(await terminal.exitCode()).toBe(0);
  });

  test('doctor fits the width, in colours', async () => {
    await open(service.apiKey);
    terminal.svc('doctor');
    await terminal.shows('scopes');
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.colors()).toContain('\u001b[32mPASS');
  });
});
