/** Tabs of Debian's chromium that notice everything that must not happen on a page. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright';
import { vi } from 'vitest';
import { NOW } from './dashboard.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast'] },
};
/** The page says this while it waits for data. */
const LOADING = 'Loading …';
/**
 * Chromium breaks its connections when the machine gets or loses a network interface, as tests of containers make them meanwhile. The page then asks
 * for its data again by itself, but not for its scripts.
 */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
/** A busy machine may be slow. */
const WAIT = { timeout: 120_000, interval: 25 };

export interface Tab {
  readonly page: Page;
  /** Errors on the console, uncaught exceptions, violations of the policy, and what axe found. */
  readonly findings: string[];
  /** Takes away findings that the test has caused; fails when there are none. */
  forgive(pattern: RegExp): Promise<void>;
  /** Opens an address, again when the network of the machine changes meanwhile. */
  visit(address: string): Promise<void>;
  /** Opens a page of the dashboard and waits until it shows its data. @param path with a leading slash */
  open(path: string): Promise<void>;
  /** Waits until the page shows its data. */
  settle(): Promise<void>;
  /** Evaluates an expression although the policy of the page forbids that to scripts. */
  evaluate(expression: string): Promise<unknown>;
  /** Adds what axe finds on the page as it is. The dark theme has other colours only, so only their contrast is looked at. */
  inspect(where: string, themes?: readonly ('light' | 'dark')[]): Promise<void>;
}

export interface Chromium {
  /**
   * A browser of somebody else: no cookies, no storage.
   *
   * @param options.hasRealTime whether its clock is that of the machine. Default: it stands at the time of test servers
   */
  person(options?: PersonOptions): Promise<Person>;
  close(): Promise<void>;
}

interface PersonOptions {
  width?: number;
  hasRealTime?: boolean;
}

export interface Person {
  readonly context: BrowserContext;
  tab(): Promise<Tab>;
  /** Opens the link, presses its button, and waits for the first page. */
  signIn(link: string): Promise<Tab>;
}

/** @param url of the dashboard */
export async function startChromium(executablePath: string, url: string): Promise<Chromium> {
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--no-first-run'],
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ];
  const browser = await chromium.launch({ executablePath, args });
  return { person: (options) => newPerson(browser, url, options), close: () => browser.close() };
}

async function newPerson(
  browser: Browser,
  url: string,
  { width = 1280, hasRealTime = false }: PersonOptions = {},
): Promise<Person> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT.timeout);
  // The server's clock stands at this time, and the pages compare its times with theirs.
  if (!hasRealTime) await context.clock.setFixedTime(NOW);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`);
    });
  });
  const tab = async () => newTab(context, url);
  return {
    context,
    tab,
    async signIn(link) {
      const opened = await tab();
      await opened.visit(link);
      const pressed = opened.page.getByRole('button', { name: 'Sign in' }).click();
      await pressed.catch(async (cause: Error) => {
        const shown = await opened.evaluate('document.body.innerText');
        throw new Error(`${link} shows: ${String(shown)} ${opened.findings.join(' ')}`, { cause });
      });
      await opened.page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
      await opened.settle();
      return opened;
    },
  };
}

async function newTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  const findings: string[] = [];
  page.on('pageerror', (error) => findings.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes(NETWORK_CHANGED))
      findings.push(`console: ${message.text()} ${message.location().url}`);
  });
  let pending = 0;
  const isCounted = (address: string) => !address.endsWith('/api/live');
  page.on('request', (request) => (pending += Number(isCounted(request.url()))));
  page.on('requestfinished', (request) => (pending -= Number(isCounted(request.url()))));
  let isVisiting = false;
  let lacksScript = false;
  page.on('requestfailed', (request) => {
    pending -= Number(isCounted(request.url()));
    if (request.resourceType() !== 'script' || request.failure()?.errorText !== NETWORK_CHANGED) return;
    lacksScript = true;
    // The script of a page that was opened by a link in the page before.
    if (!isVisiting) page.reload().catch(() => {});
  });
  const visit = async (address: string) => {
    const before = findings.length;
    isVisiting = true;
    do {
      lacksScript = false;
      findings.length = before;
      await page.goto(address).catch((error: Error) => {
        if (!error.message.includes(NETWORK_CHANGED)) throw error;
        lacksScript = true;
      });
    } while (lacksScript);
    isVisiting = false;
  };
  const cdp: CDPSession = await context.newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  };
  const settle = async () => {
    const shown = `document.querySelector('h1') !== null && !document.body.innerText.includes('${LOADING}')`;
    await vi.waitUntil(async () => pending === 0 && (await evaluate(shown)) === true, WAIT);
  };
  return {
    page,
    findings,
    evaluate,
    settle,
    visit,
    async forgive(pattern) {
      await vi.waitUntil(() => findings.some((finding) => pattern.test(finding)), WAIT);
      const others = findings.filter((finding) => !pattern.test(finding));
      findings.splice(0, findings.length, ...others);
    },
    async open(path) {
      await visit(`${url}${path}`);
      await settle();
    },
    async inspect(where, themes = ['light', 'dark']) {
      await evaluate(`globalThis.axe === undefined && (() => { ${AXE} })()`);
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        const found = await evaluate(
          `axe.run(document, { runOnly: ${JSON.stringify(RULES[theme])}, resultTypes: ['violations'] }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 140)).join(' | ')))`,
        );
        for (const finding of found as string[]) findings.push(`axe, ${where}, ${theme}: ${finding}`);
      }
    },
  };
}
