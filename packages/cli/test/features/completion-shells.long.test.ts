/** Completion inside real shells; `completion.long.test.ts` covers the candidates. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import { type MockService, startMockService } from '../support/mock-service.ts';
import { BIN, buildCli, cliEnvironment, runCli } from '../support/run-cli.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

let service: MockService;
/** A home folder with `svc`, and with the scripts where the help says to put them. */
const home = mkdtempSync(join(tmpdir(), 'svc-shells-'));
const SCRIPTS = {
  zsh: join(home, '.zsh', 'completions', '_svc'),
  fish: join(home, '.config', 'fish', 'completions', 'svc.fish'),
};

beforeAll(async () => {
  await buildCli();
  service = await startMockService();
  writeFileSync(join(home, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(home, 'svc'), 0o755);
  writeFileSync(join(home, 'rows file.csv'), '');
  for (const [shell, file] of Object.entries(SCRIPTS)) {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, (await runCli(['completion', shell])).stdout);
  }
});
afterAll(() => service.close());

const environment = () => ({
  HOME: home,
  PATH: `${home}:${process.env.PATH}`,
  SVC_CACHE_DIR: join(home, 'cache'),
  LANG: 'C.UTF-8',
});

/** Whether the shell is installed. Says so if not; throws if `CI=true`. */
function hasShell(shell: 'zsh' | 'fish'): boolean {
  return hasProgram(shell, `completion in ${shell}`);
}

describe.skipIf(!hasShell('fish'))('in fish', () => {
  /** Returns the completions at the end of a line. */
  async function offers(line: string): Promise<string[]> {
    const server = { url: service.url, apiKey: service.apiKey };
    const { stdout } = await promisify(execFile)('fish', ['-c', 'complete --do-complete "$argv[1]"', line], {
      cwd: home,
      env: cliEnvironment({ server, env: environment() }),
    });
    return stdout.split('\n').filter((text) => text !== '');
  }

  test('commands with their summaries', async () => {
    expect(await offers('svc who')).toEqual([expect.stringMatching(/^whoami\tShow the account/)]);
    expect(await offers('svc syncs ')).toEqual(expect.arrayContaining([expect.stringMatching(/^export\tExport all/)]));
  });

  test('flags and their values', async () => {
    expect(await offers('svc syncs list --sta')).toEqual([expect.stringMatching(/^--status\tOnly syncs/)]);
    expect(await offers('svc syncs list --status ')).toEqual(['success', 'warning', 'error']);
    expect(await offers('svc syncs list --status=e')).toEqual(['--status=error']);
  });

  test('ids of the service', async () => {
    const ids = (await offers('svc destinations get ')).map((offer) => offer.split('\t')[0]);
    expect(ids).toEqual(['1', '2', '3', '4', '5']);
  });

  test('files only for flags that take a file', async () => {
    expect(await offers('svc syncs export --output ro')).toEqual([expect.stringMatching(/^rows file\.csv/)]);
    expect(await offers('svc syncs get ro')).toEqual([]);
  });
});

describe.skipIf(!hasShell('zsh') || !hasTmux())('in zsh', () => {
  let terminal: Terminal;
  beforeEach(async () => {
    terminal = await openTerminal({ columns: 120, server: service, env: environment() });
    terminal.type(`cd ${home}; exec zsh -f`);
    terminal.type("PS1='zsh> '; fpath=(~/.zsh/completions $fpath); autoload -Uz compinit; compinit -u; clear");
    await terminal.shows(/^zsh>$/m);
  });
  afterEach(() => terminal.close());

  test.each([
    ['commands', 'svc who', /^zsh> svc whoami$/m],
    ['their summaries', 'svc syncs ', /^export +-- Export all syncs/m],
    ['flags', 'svc syncs list --sta', /^zsh> svc syncs list --status$/m],
    ['values of a flag', 'svc syncs list --status ', /^success +warning +error$/m],
    ['a value after =', 'svc syncs list --status=e', /^zsh> svc syncs list --status=error$/m],
    ['ids of the service', 'svc destinations get ', /^5 +-- https:\/\/ops\.example\.net\/spare/m],
    ['files', 'svc syncs export --output ro', /^zsh> svc syncs export --output rows\\ file\.csv$/m],
  ])('%s', async (_name, line, shown) => {
    terminal.press(line);
    await terminal.shows(`zsh> ${line.trimEnd()}`);
    terminal.press('Tab');
    await expect.poll(terminal.screen).toMatch(shown);
  });
});
