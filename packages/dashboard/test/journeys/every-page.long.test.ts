/** Each page of the route table opens for admins and viewers, wide and narrow, in light and dark, without anything that must not happen. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROUTES } from '../../src/app/routes.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { exampleOf } from './support/examples.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };
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
    dashboard = await startDashboard();
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
    await inspect('narrow', ['light']);
    // Tables scroll in themselves; the page does not scroll sideways.
    expect(await evaluate(TOO_WIDE)).toEqual([]);
    expect(findings).toEqual([]);
  };

  test.each(ROUTES.map((route) => exampleOf(route)))('%s', async (address) => {
    await check(admin, address, true);
    await check(viewer, address, false);
  });

  test('an address of nothing says so', async () => {
    await admin.open('/accounts/1/nothing/here');
    expect(await admin.evaluate('document.title')).toBe('No such page · svc');
    await admin.open('/accounts/99/overview');
    expect(await admin.evaluate('document.title')).toBe('No such page · svc');
  });
});
