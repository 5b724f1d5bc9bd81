/** Every page, and live events, behind nginx that takes a prefix away; also one that buffers, and while the server is replaced. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { findLacking } from '../../../server/test/deploy/programs.ts';
import { postReply } from '../../../server/test/support/replies.ts';
import { ROUTES } from '../../src/app/routes.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { exampleOf } from './support/examples.ts';
import { findFreePort, startStrippingProxy, type StrippingProxy } from './support/stripping-proxy.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const lacksNginx = findLacking('dashboard behind proxies', ['nginx']);
const PREFIX = '/tools/svc';
const WAIT = { timeout: 120_000, interval: 50 };
const REQUESTS = '/accounts/1/requests';

describe.skipIf(chromium === null || lacksNginx)('behind a proxy', () => {
  let dashboard: Dashboard;
  let buffering: StrippingProxy;
  let bufferedUrl: string;
  let browser: Chromium;
  let tab: Tab;
  /** Live connections that are open, and paths that were asked for. */
  const live = new Set<object>();
  const paths = new Set<string>();
  beforeAll(async () => {
    dashboard = await startDashboard({ prefix: PREFIX });
    const port = await findFreePort();
    buffering = await startStrippingProxy({ port, prefix: PREFIX, target: dashboard.behindProxy, buffers: true });
    bufferedUrl = `http://127.0.0.1:${port}${PREFIX}/dashboard`;
    browser = await startChromium(chromium ?? '', dashboard.url);
    const person = await browser.person();
    await person.context.addInitScript(() => {
      const greetings = { count: 0 };
      Object.assign(window, { greetings });
      window.EventSource = class extends EventSource {
        constructor(url: string | URL) {
          super(url);
          this.addEventListener('hello', () => (greetings.count += 1));
        }
      };
    });
    tab = await person.signIn(await dashboard.invite('admin@example.com', 'admin'));
    tab.page.on('request', (request) => {
      paths.add(new URL(request.url()).pathname);
      if (request.url().endsWith('/api/live')) live.add(request);
    });
    tab.page.on('requestfinished', (request) => live.delete(request));
    tab.page.on('requestfailed', (request) => live.delete(request));
  });
  afterAll(async () => {
    await browser.close();
    await buffering.close();
    await dashboard.close();
  });
  afterEach(() => expect(tab.findings).toEqual([]));

  /** Posts a reply, and waits until the page shows one request more. */
  const seeReply = async (name: string) => {
    const newest = () => tab.page.getByRole('row').nth(1).innerText();
    const before = await newest();
    await postReply(dashboard.server, name);
    await dashboard.settle();
    await vi.waitUntil(async () => (await newest()) !== before, WAIT);
  };
  const show = (state: 'hidden' | 'visible') =>
    tab.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'))`);

  test('every page opens by its address and again, and asks for nothing outside of the prefix', async () => {
    const { page, open, settle, evaluate } = tab;
    for (const route of ROUTES) {
      const address = exampleOf(route);
      await open(address);
      const title = await evaluate('document.title');
      expect(title).not.toMatch(/^(No such page|svc$)/);
      await page.reload();
      await settle();
      expect(await evaluate('document.title')).toBe(title);
      expect(page.url()).toBe(`${dashboard.url}${address}`);
    }
    await open('/accounts/1/overview');
    const hrefs = (await evaluate(
      `[...document.links].filter(({ origin }) => origin === location.origin).map(({ pathname }) => pathname)`,
    )) as string[];
    expect(hrefs.length).toBeGreaterThan(20);
    const outside = [...hrefs, ...paths].filter((each) => !each.startsWith(`${PREFIX}/`));
    expect(outside).toEqual([]);
  });

  test('a tab has one live connection, none while it is hidden, and shows what happens', async () => {
    const { page, open, settle, evaluate } = tab;
    await open('/accounts/1/overview');
    for (const label of ['Syncs', 'Events', 'Requests']) {
      await page.getByRole('link', { name: label, exact: true }).first().click();
      await settle();
      expect(live.size).toBe(1);
    }
    await evaluate('window.isSame = true');
    await seeReply('live');
    await seeReply('live again');
    expect(await evaluate('window.isSame')).toBe(true);
    await show('hidden');
    await vi.waitUntil(() => live.size === 0, WAIT);
    await show('visible');
    await vi.waitUntil(() => live.size === 1, WAIT);
    await seeReply('visible');
    expect(live.size).toBe(1);
  });

  test('behind a proxy that buffers, the tab asks by itself', async () => {
    await tab.page.goto(`${bufferedUrl}${REQUESTS}`);
    await tab.settle();
    // A page reads again soon after it is opened, so the second reply is the proof.
    await seeReply('buffered');
    await seeReply('buffered again');
    expect(await tab.evaluate('window.greetings.count')).toBe(0);
    expect(live.size).toBe(1);
  });

  test('a tab outlives the server, with what was typed into a form', async () => {
    const { page, open, evaluate, findings } = tab;
    await open('/accounts/1/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('typed before');
    await vi.waitUntil(async () => (await evaluate('window.greetings.count')) === 1, WAIT);
    dashboard.stop();
    await vi.waitUntil(() => live.size === 0, WAIT);
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page
      .getByText(/The server (?:did not answer|answered 502)/)
      .first()
      .waitFor();

    await dashboard.start();
    await vi.waitUntil(async () => Number(await evaluate('window.greetings.count')) > 1, WAIT);
    expect(live.size).toBe(1);
    expect(await page.getByLabel('Name').inputValue()).toBe('typed before');
    await create.click();
    await page.getByText(/osapi_\w{20}/).waitFor();
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await tab.settle();
    await seeReply('after');
    // While nobody answered.
    const others = findings.filter((finding) => !/status of 502|ERR_|net::/.test(finding));
    findings.splice(0, Infinity, ...others);
  });
});
