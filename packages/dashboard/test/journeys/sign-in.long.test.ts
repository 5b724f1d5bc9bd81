/** How somebody comes into the dashboard and out of it, in a browser: at the root, and below a prefix that nginx takes away. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLacking } from '../../../server/test/deploy/programs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const lacksNginx = findLacking('dashboard below a prefix', ['nginx']);
const PASSWORD = 'correct horse battery';

const places = [
  { place: 'at the root', prefix: undefined, isLacking: false },
  { place: 'below a prefix', prefix: '/tools/svc', isLacking: lacksNginx },
];

describe.each(places)('$place', ({ prefix, isLacking }) => {
  describe.skipIf(chromium === null || isLacking)('somebody', () => {
    let dashboard: Dashboard;
    let browser: Chromium;
    const tabs: Tab[] = [];
    const watched = async (opening: Promise<Tab>): Promise<Tab> => {
      const tab = await opening;
      tabs.push(tab);
      return tab;
    };

    beforeAll(async () => {
      dashboard = await startDashboard(prefix === undefined ? {} : { prefix });
      browser = await startChromium(chromium ?? '', dashboard.url);
    });
    afterAll(async () => {
      await browser.close();
      await dashboard.close();
    });
    afterEach(() => {
      for (const { findings } of tabs.splice(0)) expect(findings).toEqual([]);
    });

    test('signs in with a link, sets a password with it, signs out, and comes back with the password', async () => {
      const person = await browser.person();
      const { page, settle, inspect, forgive, evaluate, open } = await watched(person.tab());
      await page.goto(await dashboard.invite('kim@example.com', 'admin'));
      await page.getByRole('heading', { name: 'Welcome' }).waitFor();
      expect(await evaluate('location.hash')).toBe('');
      await inspect('welcome');
      await page.getByLabel('Password for later').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'kim@example.com' }).click();
      await settle();
      expect(page.url()).toBe(`${dashboard.url}/me`);
      expect(await page.getByRole('main').innerText()).toContain('Change the password');

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await inspect('sign-in');
      await page.getByLabel('Address').fill('kim@example.com');
      await page.getByLabel('Password').fill(`${PASSWORD}!`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').innerText()).toBe('The address or the password is wrong.');
      await inspect('a wrong password');
      await forgive(/status of 403 .*session\/password/);

      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await open('/me');
      expect(await page.getByRole('main').innerText()).toContain('this browser');
    });

    test('sees that a link which was used cannot be used again', async () => {
      const link = await dashboard.invite('lee@example.com', 'viewer');
      await watched((await browser.person()).signIn(link));
      const { page, forgive, inspect } = await watched((await browser.person()).tab());
      await page.goto(link);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
      await inspect('a used link');
      await forgive(/status of 4\d\d .*session\/link/);
    });

    test('is asked to sign in when the session was ended elsewhere', async () => {
      const here = await watched((await browser.person()).signIn(await dashboard.invite('ana@example.com', 'admin')));
      const there = await watched((await browser.person()).signIn(await dashboard.invite('ana@example.com', 'admin')));
      await there.open('/me');
      await here.open('/me');
      await here.page.getByRole('button', { name: 'End', exact: true }).first().click();
      await here.page.getByText('The session is ended.').waitFor();
      await there.page.reload();
      await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await there.page.getByRole('navigation').count()).toBe(0);
      // On a slow machine the page may ask for data between the end of the session and the reload.
      const unexpected = there.findings.filter((finding) => !finding.includes('status of 401'));
      there.findings.splice(0, there.findings.length, ...unexpected);
    });
  });
});
