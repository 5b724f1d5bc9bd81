import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import { BIN, cliEnvironment } from './run-cli.ts';

/** A terminal in tmux that runs a shell. */
export interface Terminal {
  /** Types `svc ...` and Enter. */
  svc(...argv: string[]): void;
  /** Presses a key by its name in tmux, such as `q` or `C-c`. */
  press(key: string): void;
  /** Types a line of the shell. */
  type(line: string): void;
  resize(columns: number, rows: number): void;
  /** Returns the screen without trailing empty lines. */
  screen(): string;
  /** Returns the screen and what has scrolled out of it. */
  scrollback(): string;
  /** Returns the screen with SGR sequences. */
  colors(): string;
  /** Waits until the screen contains the text. */
  shows(text: string | RegExp): Promise<void>;
  /** Returns the exit code of the last command. Fails if the command left the terminal without echo or cursor. */
  exitCode(): Promise<number>;
  close(): void;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows?: number;
  readonly server: { readonly url: string; readonly apiKey: string };
  readonly env?: Record<string, string>;
}

/** Whether tmux is installed. Says so if not; throws if `CI=true`. */
export function hasTmux(): boolean {
  return hasProgram('tmux', 'screens of the command line');
}

const PROMPT = 'ready$';

export async function openTerminal({ columns, rows = 50, server, env = {} }: TerminalOptions): Promise<Terminal> {
  // A separate tmux server, independent of the user's own.
  const folder = mkdtempSync(join(tmpdir(), 'svc-tmux-'));
  const environment = cliEnvironment({ server, env: { LANG: 'C.UTF-8', TMUX_TMPDIR: folder, ...env } });
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-f', '/dev/null', ...args], { env: environment, encoding: 'utf8' });
  const shell = env.TERM === undefined ? 'sh' : `TERM=${env.TERM} sh`;
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), shell);

  let isOpen = true;
  const screen = () => tmux('capture-pane', '-p').trimEnd();
  const terminal: Terminal = {
    svc: (...argv) => terminal.type(`clear; ${[process.execPath, BIN, ...argv].map(quote).join(' ')}`),
    press: (key) => void tmux('send-keys', key),
    type(line) {
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
    },
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    screen,
    scrollback: () => tmux('capture-pane', '-p', '-S', '-').trimEnd(),
    colors: () => tmux('capture-pane', '-p', '-e').trimEnd(),
    async shows(text) {
      if (typeof text === 'string') await expect.poll(screen).toContain(text);
      else await expect.poll(screen).toMatch(text);
    },
    async exitCode() {
      await expect.poll(() => screen().split('\n').at(-1)).toBe(PROMPT);
      terminal.type('echo "code=$? $(stty -a | grep -oE " -?(echo|icanon)( |;)" | tr -d " ;" | tr "\\n" ,)"');
      await terminal.shows(/^code=\d+ .*,$/m);
      const [, code, modes] = /^code=(\d+) (.*)$/m.exec(screen()) ?? [];
      expect(modes?.split(',').filter(Boolean).toSorted()).toEqual(['echo', 'icanon']);
      expect(tmux('display-message', '-p', '#{cursor_flag}').trim()).toBe('1');
      return Number(code);
    },
    close() {
      if (isOpen) tmux('kill-server');
      isOpen = false;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    terminal.type(`PS1='${PROMPT} '; clear`);
    await terminal.shows(/ready\$$/);
  } catch (error) {
    terminal.close();
    throw error;
  }
  return terminal;
}

export function quote(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
