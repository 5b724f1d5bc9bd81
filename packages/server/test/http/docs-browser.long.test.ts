/** Opens the pages in a real browser below a path prefix, and checks that they load only from this server. */
import { openapiJson } from '@svc/contract/document';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Browser, type BrowserPage, startChromium } from '../../../../scripts/vitest/chromium.ts';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.ts';

const [pglite] = backends;
const chromium = inject('chromium');
/** Timeouts for a browser on two busy cores. */
const PATIENCE = { timeout: 60_000, interval: 250 };
const TIMEOUT_MS = 600_000;

interface ContractDocument {
  paths: Record<string, Record<string, { summary: string }>>;
  webhooks: Record<string, Record<string, { summary: string }>>;
}

describe.skipIf(chromium === null)('in a browser', () => {
  let server: TestServer;
  let proxy: PrefixProxy;
  let browser: Browser;
  beforeAll(async () => {
    if (!pglite || chromium === null) throw new Error('there is nothing to test with');
    proxy = await startPrefixProxy('/svc');
    server = await startTestServer(pglite, { env: { SVC_PUBLIC_URL: proxy.url } });
    proxy.target = server.url;
    browser = await startChromium(chromium);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await proxy.close();
  });

  const textOf = (page: BrowserPage) => page.evaluate('document.body.innerText');
  const expectNothingAmiss = (page: BrowserPage) => {
    expect(page.problems).toEqual([]);
    expect(page.requests.length).toBeGreaterThan(0);
    for (const address of page.requests) expect(address).toMatch(new RegExp(`^(${proxy.url}/|data:|blob:)`));
  };
  const { paths, webhooks }: ContractDocument = JSON.parse(openapiJson);
  const summaries = [paths, webhooks].flatMap((part) =>
    Object.values(part).flatMap((methods) => Object.values(methods).map(({ summary }) => summary)),
  );

  test('the reference lists every operation and webhook, and loads only from this server', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const page = await browser.open(`${proxy.url}/docs`);
    await expect.poll(() => textOf(page), PATIENCE).toContain('Get the key and its access');
    expect(summaries.length).toBeGreaterThan(40);
    for (const summary of summaries) await expect.poll(() => textOf(page), PATIENCE).toContain(summary);
    // Calls from the page go to this server, whatever servers the document names.
    expect(await page.evaluate('document.documentElement.outerHTML')).toContain(proxy.url);
    expect(page.requests).toContain(`${proxy.url}/api/v1/openapi.json`);
    expectNothingAmiss(page);
  });

  test('shows a full operation on a narrow screen in dark mode', { timeout: TIMEOUT_MS }, async () => {
    const look = { width: 390, colorScheme: 'dark' } as const;
    const page = await browser.open(`${proxy.url}/docs#tag/account/GET/api/v1/me`, look);
    const heading =
      '[...document.querySelectorAll("h3")].some((heading) => heading.innerText.includes("Get the key and its access"))';
    await expect.poll(() => page.evaluate(heading), PATIENCE).toBe(true);
    await expect.poll(() => textOf(page), PATIENCE).toContain('/api/v1/me');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await page.evaluate('getComputedStyle(document.body).colorScheme + document.body.className')).toMatch(
      /dark/,
    );
    expectNothingAmiss(page);
  });

  test.each(['/', '/docs/status-codes#crm_disconnected'])(
    '%s renders on a wide and on a narrow screen',
    { timeout: TIMEOUT_MS },
    async (path) => {
      for (const width of [1280, 360]) {
        const page = await browser.open(proxy.url + path, { width });
        await expect.poll(() => page.evaluate('document.readyState'), PATIENCE).toBe('complete');
        expect(await page.evaluate('document.querySelector("h1").innerText')).not.toBe('');
        expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).not.toBe('none');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expectNothingAmiss(page);
      }
    },
  );

  test('a docUrl leads to its code', { timeout: TIMEOUT_MS }, async () => {
    const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
    const page = await browser.open(json.blockers[0].docUrl);
    await expect
      .poll(() => page.evaluate('document.querySelector(":target")?.innerText'), PATIENCE)
      .toContain(json.blockers[0].code);
  });
});
