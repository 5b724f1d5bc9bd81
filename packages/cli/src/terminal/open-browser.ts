import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readBrowserEnvironment, readTerminalEnvironment } from './environment.ts';

/** Whether a person is at a terminal, with a browser that can be opened. */
export function canOpenBrowser(): boolean {
  if (!process.stdout.isTTY || readTerminalEnvironment().isDumbTerminal) return false;
  const { command, hasDisplay } = readBrowserEnvironment();
  return command !== null || hasDisplay;
}

/**
 * Opens an address in `BROWSER`, or in the default browser.
 *
 * @param address http or https
 * @throws Error if no browser could be started
 */
export async function openBrowser(address: string): Promise<void> {
  const { command } = readBrowserEnvironment();
  if (command === null) {
    const { default: open } = await import('open');
    await open(address);
    return;
  }
  const [program = '', ...words] = command.split(/\s+/);
  // Browsers in a terminal, such as w3m, need it until they end.
  const browser = spawn(program, [...words, address], { stdio: 'inherit' });
  const [code] = await once(browser, 'close');
  if (code !== 0) throw new Error(`${command} exited with ${String(code)}`);
}
