/**
 * A real browser for tests: the machine's chromium, headless, driven by its DevTools protocol over a pipe. No driver package is
 * needed for the few things that tests ask. It keeps to this machine: names are not looked up, and what a browser does by
 * itself in the background is switched off.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** The chromium of `TEST_CHROMIUM`, else the first of this machine; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TEST_CHROMIUM;
  if (given !== undefined && given !== '') return given;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
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
  open(url: string, look?: Look): Promise<BrowserPage>;
  close(): Promise<void>;
}

export interface Look {
  /** CSS pixels. Default 1280. */
  width?: number;
  colorScheme?: 'light' | 'dark';
}

export interface BrowserPage {
  /** Addresses of everything it asked for, refused or not. */
  readonly requests: readonly string[];
  /** What the console shows as an error or warning, and exceptions that nobody caught. */
  readonly problems: readonly string[];
  /** The value of a JavaScript expression in the page, which must be JSON; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** A PNG of what is in view. */
  screenshot(): Promise<Buffer>;
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--remote-debugging-pipe',
];

const HEIGHT = 900;

type Params = Record<string, unknown>;

/** What comes down the pipe: the answer to a command, or an event of a page. */
interface Message {
  id?: number;
  error?: { message: string };
  result?: Params;
  sessionId?: string;
  method?: string;
  params?: Params;
}

export async function startChromium(executable: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'svc-chromium-'));
  const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const protocol = speakProtocol(child);
  return {
    open: (url, look = {}) => openPage(protocol, url, look),
    async close() {
      await protocol.send('Browser.close').catch(() => child.kill('SIGKILL'));
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

interface Protocol {
  send(method: string, params?: Params, sessionId?: string): Promise<Params>;
  /** Calls `listener` for every event of a page. */
  listen(sessionId: string, listener: (method: string, params: Params) => void): void;
}

/** Messages are JSON, each ended by a NUL: commands go down file descriptor 3, answers and events come up 4. */
function speakProtocol(child: ChildProcess): Protocol {
  const commands = child.stdio[3] as Writable;
  const answers = child.stdio[4] as Readable;
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, (method: string, params: Params) => void>();
  let lastId = 0;
  let rest = '';
  answers.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message: Message = JSON.parse(part);
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      else if (message.method !== undefined)
        listeners.get(message.sessionId ?? '')?.(message.method, message.params ?? {});
    }
  });
  child.once('exit', (code) => {
    for (const answer of waiting.values()) answer({ error: { message: `chromium ended with code ${code}` } });
  });
  commands.on('error', () => {});
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        waiting.set(id, ({ error, result = {} }) => {
          waiting.delete(id);
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result);
        });
        const session = sessionId === undefined ? {} : { sessionId };
        commands.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
      }),
    listen: (sessionId, listener) => void listeners.set(sessionId, listener),
  };
}

async function openPage(protocol: Protocol, url: string, look: Look): Promise<BrowserPage> {
  const { targetId } = await protocol.send('Target.createTarget', { url: 'about:blank' });
  const attached = await protocol.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached['sessionId']);
  const requests: string[] = [];
  const problems: string[] = [];
  protocol.listen(sessionId, (method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push(String((params['request'] as Params)['url']));
    const problem = problemOf(method, params);
    if (problem !== null) problems.push(problem);
  });
  const send = (method: string, params: Params = {}) => protocol.send(method, params, sessionId);
  for (const domain of ['Network', 'Log', 'Runtime', 'Page']) await send(`${domain}.enable`);
  const { width = 1280, colorScheme = 'light' } = look;
  await send('Emulation.setDeviceMetricsOverride', {
    width,
    height: HEIGHT,
    deviceScaleFactor: 1,
    mobile: width < 600,
  });
  const features = [{ name: 'prefers-color-scheme', value: colorScheme }];
  await send('Emulation.setEmulatedMedia', { features });
  await send('Page.navigate', { url });
  return {
    requests,
    problems,
    async evaluate(expression) {
      const answer = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (answer['exceptionDetails']) throw new Error(`${expression}: ${JSON.stringify(answer['exceptionDetails'])}`);
      return (answer['result'] as Params)['value'];
    },
    screenshot: async () => Buffer.from(String((await send('Page.captureScreenshot'))['data']), 'base64'),
  };
}

function problemOf(method: string, params: Params): string | null {
  switch (method) {
    case 'Log.entryAdded': {
      const { level, text, url } = params['entry'] as Params;
      return level === 'error' || level === 'warning' ? JSON.stringify({ level, text, url }) : null;
    }
    case 'Runtime.consoleAPICalled':
      return params['type'] === 'error' || params['type'] === 'warning' ? JSON.stringify(params['args']) : null;
    case 'Runtime.exceptionThrown':
      return JSON.stringify(params['exceptionDetails']);
    default:
      return null;
  }
}
