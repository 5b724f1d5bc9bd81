/** The mock in a real browser, behind MSW's service worker. The browser resolves no host names, so every answer is the mock's. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Browser, startChromium } from '../../../scripts/vitest/chromium.ts';

const chromium = inject('chromium');
/** A browser on two cores that others use too. */
const TIMEOUT_MS = 180_000;
const worker = fileURLToPath(import.meta.resolve('msw/mockServiceWorker.js'));

describe.skipIf(chromium === null)('in a browser', () => {
  let folder: string;
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    if (chromium === null) throw new Error('there is nothing to test with');
    folder = mkdtempSync(join(tmpdir(), 'svc-mock-page-'));
    await build({
      config: false,
      entry: { page: fileURLToPath(new URL('browser/page.ts', import.meta.url)) },
      outDir: folder,
      platform: 'browser',
      deps: { alwaysBundle: [/.*/], onlyBundle: false },
      dts: false,
      logLevel: 'error',
      outExtensions: () => ({ js: '.js' }),
    });
    server = createServer(({ url = '' }, response) => {
      const file = url === '/mockServiceWorker.js' ? worker : join(folder, url);
      const isScript = url.endsWith('.js');
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(file) : '<!doctype html><script type="module" src="/page.js"></script>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await startChromium(chromium);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the mock answers the SDK and fetch', { timeout: TIMEOUT_MS }, async () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const page = await browser.open(`http://127.0.0.1:${port}/`);
    const isStarted = () => page.evaluate("'results' in globalThis");
    await expect.poll(isStarted, { timeout: 60_000, interval: 250 }).toBe(true);
    expect(await page.evaluate('globalThis.results')).toEqual({
      crms: ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE'],
      newest: 'made.in@the.browser',
      isMore: true,
      unknown: 404,
      failed: [503, '3'],
      reset: 'TypeError: Failed to fetch',
      truncated: [200, 'broke off'],
      replaced: { mine: true },
      calls: true,
      listen: expect.stringMatching(/^Error: listen\(\) needs Node/),
    });
  });
});
