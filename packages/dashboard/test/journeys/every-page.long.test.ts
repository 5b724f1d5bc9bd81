/** Each page of the route table opens for admins and viewers, wide and narrow, in light and dark, without anything that must not happen. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { performAdmin } from '../../../operations/src/perform.ts';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { ROUTES } from '../../src/app/routes.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { exampleOf } from './support/examples.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };
/**
 * The pictures of docs/dashboard.md, and words that they show: other releases of chromium draw other pixels. To take them again:
 * `SVC_PICTURES=1 npm run test:long -- packages/dashboard/test/journeys/every-page.long.test.ts`.
 */
const PICTURES: readonly { name: string; path?: string; press?: string; words: readonly string[] }[] = [
  {
    name: 'overview',
    path: '/accounts/1/overview',
    words: [
      'Not ready',
      'To mend',
      'Reconnect',
      'Last 24 hours',
      'Requests received',
      'Written to CRMs by hour',
      'Waiting',
      'Connections',
    ],
  },
  { name: 'request', words: ['synced', 'Events', 'noor.haddad@example.org', 'EMAIL_REPLY', 'Payload'] },
  {
    name: 'mapping',
    press: 'Propose a mapping from the requests',
    words: ['my-dialer', 'call.ended', 'CALL_COMPLETED', 'noor.haddad@example.org'],
  },
  {
    name: 'start',
    path: '/start',
    words: ['Account', 'CRM', 'Source', '/webhooks/demo-smartlead', 'First event', 'API key', 'Everything is set up.'],
  },
];
const PICTURE_MAX_BYTES = 150_000;
const DOCS = fileURLToPath(new URL('../../../../docs', import.meta.url));
/** What is wider than a page that itself scrolls sideways. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
    .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))`;

describe.skipIf(chromium === null)('every page', () => {
  let dashboard: Dashboard;
  let browser: Chromium;
  let admin: Tab;
  let viewer: Tab;
  beforeAll(async () => {
    dashboard = await startDashboard({ env: { SVC_SYNC_URL: 'https://svc.example.com' } });
    browser = await startChromium(chromium ?? '', dashboard.url);
    admin = await (await browser.person()).signIn(await dashboard.invite('admin@example.com', 'admin'));
    viewer = await (await browser.person()).signIn(await dashboard.invite('viewer@example.com', 'viewer'));
  });
  afterAll(async () => {
    await browser.close();
    await dashboard.close();
  });

  const check = async ({ page, findings, open, settle, evaluate, inspect }: Tab, address: string, isWhole: boolean) => {
    findings.length = 0;
    await page.setViewportSize(WIDE);
    await open(address);
    expect(await evaluate('document.title')).not.toMatch(/^(No such page|svc$)/);
    // What could not be read offers this.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await inspect('wide', isWhole ? ['light', 'dark'] : ['light']);
    await page.setViewportSize(NARROW);
    await settle();
    // The page of a viewer is that of an admin with less on it.
    if (isWhole) await inspect('narrow', ['light']);
    // Tables scroll in themselves; the page does not scroll sideways.
    expect(await evaluate(TOO_WIDE)).toEqual([]);
    expect(findings).toEqual([]);
  };

  test.each(ROUTES.map((route) => exampleOf(route)))('%s', async (address) => {
    await check(admin, address, true);
    await check(viewer, address, false);
  });

  describe('the pictures of the documents still show what is there', () => {
    const found = { request: '', mapping: '' };
    beforeAll(async () => {
      const { ctx } = dashboard.server.running;
      const post = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json' };
        await fetch(`${dashboard.server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        await dashboard.settle();
      };
      const unknown = { connectionId: 1, platform: 'my-dialer', isConfirmed: true };
      const { source } = await performAdmin(ctx, 'sources/add', unknown, 'a test');
      await post(new URL(source.url).pathname, {
        event: 'call.ended',
        at: '2026-03-31T11:58:00Z',
        contact: { email: 'noor.haddad@example.org', name: 'Noor Haddad' },
      });
      found.mapping = `/accounts/1/sources/${source.id}/mapping`;
      await post('/webhooks/demo-smartlead', {
        ...{ event_type: 'EMAIL_REPLY', to_email: 'noor.haddad@example.org', reply_body: 'Yes, call me!' },
      });
      const { requests } = await performAdmin(ctx, 'requests/list', { accountId: 1, sourceId: 1, limit: 1 }, 'a test');
      found.request = `/accounts/1/requests/${requests[0]?.id}`;
    });

    test.each(PICTURES)('$name', async ({ name, path, press, words }) => {
      const { page, open, settle } = admin;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await open(path ?? found[name as keyof typeof found]);
      if (press !== undefined) {
        await page.getByRole('button', { name: press }).click();
        await page.getByText('It is not understood').waitFor({ state: 'detached' });
        await page.mouse.move(0, 0);
      }
      for (const word of words) await page.getByText(word).first().waitFor({ state: 'attached' });
      await settle();
      const file = join(DOCS, 'pictures', `${name}.png`);
      if (process.env['SVC_PICTURES'] === '1') await page.screenshot({ path: file, animations: 'disabled' });
      expect(statSync(file).size).toBeLessThan(PICTURE_MAX_BYTES);
      expect(readFileSync(join(DOCS, 'dashboard.md'), 'utf8')).toContain(`](pictures/${name}.png)`);
    });
  });

  test('ten thousand sources: lists come in pages, and a source is found by its address', async () => {
    await dashboard.server.db.query(
      `insert into sources (connection_id, platform, path, created_at)
        select 1, 'smartlead', 'many-' || n, '2026-03-01' from generate_series(1, 10000) as n`,
    );
    const { page, findings, open, settle } = admin;
    await page.setViewportSize(WIDE);
    findings.length = 0;
    await open('/accounts/1/sources');
    const rows = page.getByRole('table', { name: 'Sources' }).getByRole('row');
    expect(await rows.count()).toBe(101);
    await page.getByRole('button', { name: 'Show more' }).click();
    await vi.waitUntil(async () => (await rows.count()) === 201, { timeout: 30_000, interval: 50 });
    await page.getByLabel('Search').fill('https://svc.example.com/webhooks/many-9876');
    await vi.waitUntil(async () => (await rows.count()) === 2, { timeout: 30_000, interval: 50 });
    await rows.nth(1).getByRole('link', { name: 'smartlead' }).click();
    await page.getByText('/webhooks/many-9876').waitFor();
    await settle();
    // Where a source is chosen, its id is entered instead.
    for (const address of ['requests', 'syncs', 'requests/read-again', 'relays/1', 'destinations/1', 'connections/1']) {
      await open(`/accounts/1/${address}`);
      expect(await page.locator('option').count()).toBeLessThan(100);
    }
    expect(findings).toEqual([]);
  });

  test('an address of nothing says so', async () => {
    await admin.open('/accounts/1/nothing/here');
    expect(await admin.evaluate('document.title')).toBe('No such page · svc');
    await admin.open('/accounts/99/overview');
    expect(await admin.evaluate('document.title')).toBe('No such page · svc');
  });
});
