/** The machine's chromium for tests, headless. It reaches 127.0.0.1 only: no other name is resolved. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { leaveOut } from './lacking.ts';

/** Returns the chromium of `TEST_CHROMIUM`, else the first one on `PATH`; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TEST_CHROMIUM;
  if (given !== undefined && given !== '') return given;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
}

/** The same for the set-up of a run: says what is left out without one. @throws Error in CI */
export function findChromiumOrLeaveOut(): string | null {
  const found = findChromium();
  if (found === null) {
    leaveOut({
      what: 'chromium',
      untested: 'pages in a browser',
      remedy: 'apt-get install chromium, or set TEST_CHROMIUM to the path of one',
    });
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Browser {
  open(url: string, options?: PageOptions): Promise<BrowserPage>;
  close(): Promise<void>;
}

export interface PageOptions {
  /** CSS pixels. Default 1280. */
  width?: number;
  colorScheme?: 'light' | 'dark';
}

export interface BrowserPage {
  /** The URL of every request of the page, failed ones included. */
  readonly requests: readonly string[];
  /** Errors and warnings on the console, and uncaught exceptions. */
  readonly problems: readonly string[];
  /** Evaluates a JavaScript expression in the page, waits for its promise, and returns its JSON value. */
  evaluate(expression: string): Promise<unknown>;
}

/** Returns the browser of the library, for what `Browser` does not offer. */
export function launchChromium(executablePath: string) {
  const args = ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ executablePath, args });
}

export async function startChromium(executablePath: string): Promise<Browser> {
  const browser = await launchChromium(executablePath);
  return {
    async open(url, { width = 1280, colorScheme = 'light' } = {}) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, isMobile: width < 600, colorScheme });
      const requests: string[] = [];
      const problems: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
      });
      await page.goto(url, { waitUntil: 'commit' });
      return { requests, problems, evaluate: (expression) => page.evaluate(expression) };
    },
    close: () => browser.close(),
  };
}
