/** What viewers cannot press, what asks for the password again, and that no page needs a mouse. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROUTES } from '../../src/app/routes.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { exampleOf } from './support/examples.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const PASSWORD = 'correct horse battery';
const MINUTE_MS = 60_000;
/** What can be pressed on a page, without what is around it. */
const PRESSABLE = 'main button:enabled, main input[type=checkbox]:enabled, main select:enabled';

describe.skipIf(chromium === null)('somebody', () => {
  let dashboard: Dashboard;
  let browser: Chromium;
  const tabs: Tab[] = [];
  const signIn = async (email: string, role: 'admin' | 'viewer') => {
    const tab = await (await browser.person()).signIn(await dashboard.invite(email, role));
    tabs.push(tab);
    return tab;
  };
  beforeAll(async () => {
    dashboard = await startDashboard();
    browser = await startChromium(chromium ?? '', dashboard.url);
  });
  afterAll(async () => {
    await browser.close();
    await dashboard.close();
  });
  afterEach(() => {
    for (const { findings } of tabs.splice(0)) expect(findings).toEqual([]);
  });

  test('who is a viewer finds nothing to press that changes anything', async () => {
    const { page, open, settle, evaluate } = await signIn('viewer@example.com', 'viewer');
    /** Opens a page and unfolds what it hides. */
    const openWhole = async (address: string) => {
      await open(address);
      await evaluate(`document.querySelectorAll('main details').forEach((details) => { details.open = true; })`);
    };
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
    });
    let pressed = 0;
    for (const route of ROUTES.filter(({ path }) => path !== '/me')) {
      const address = exampleOf(route);
      // The clock of the server stands still, and a session may send so many requests in ten seconds.
      dashboard.server.clock.advance(10_000);
      await openWhole(address);
      const count = await page.locator(PRESSABLE).count();
      for (let index = 0; index < count; index += 1) {
        const control = page.locator(PRESSABLE).nth(index);
        if ((await control.count()) === 0) continue;
        const isSelect = (await control.evaluate((element) => element.localName)) === 'select';
        // A filter is a choice, and so would be a setting.
        if (isSelect) await control.selectOption({ index: (await control.locator('option').count()) - 1 });
        else await control.click();
        pressed += 1;
        await settle();
        // What a dialog would send.
        for (const button of await page.getByRole('dialog').getByRole('button').all()) {
          if (/^(?:Cancel|Close)$/.test(await button.innerText())) continue;
          await button.click();
          await settle();
        }
        await page.keyboard.press('Escape');
        if (!page.url().endsWith(address)) await openWhole(address);
      }
    }
    expect(refused).toEqual([]);
    expect(pressed).toBeGreaterThan(20);
    console.info(`a viewer pressed ${pressed} controls`);
  });

  test('who signed in longer ago than 15 minutes is asked for the password, and the key is made then', async () => {
    const tab = await signIn('kim@example.com', 'admin');
    const { page, open, inspect, forgive } = tab;
    await open('/me');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your password is').waitFor();
    dashboard.server.clock.advance(16 * MINUTE_MS);

    await open('/accounts/1/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('nightly export');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Is it still you?' });
    await dialog.waitFor();
    await inspect('confirm');
    expect(await page.getByText('osapi_').count()).toBe(0);
    await dialog.getByLabel('Password of kim@example.com').fill(`${PASSWORD}!`);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('status').or(dialog.getByRole('alert')).first().waitFor();
    await forgive(/status of 403 .*session\/confirm/);
    await dialog.getByLabel('Password of kim@example.com').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(/osapi_\w{20}/).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await forgive(/status of 403 .*operations\/keys\/create/);

    // It is recent again.
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('second');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('cell', { name: 'second', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('who does not confirm changes nothing', async () => {
    const { page, open, forgive } = await signIn('kim@example.com', 'admin');
    dashboard.server.clock.advance(16 * MINUTE_MS);
    await open('/accounts/1/keys');
    const keys = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('not wanted');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'Is it still you?' }).getByRole('button', { name: 'Cancel' }).click();
    // The form is still there, with what was typed.
    await page.getByText('Confirm that it is you').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('not wanted');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('row').count()).toBe(keys);
    await forgive(/status of 403 .*operations\/keys\/create/);
  });

  describe('with a keyboard only', () => {
    /** Says what has the focus: its role or element, and its name. */
    const FOCUS = `(() => {
      const { activeElement: element } = document;
      const label = element.labels?.[0]?.innerText ?? element.getAttribute('aria-label') ?? element.innerText ?? '';
      return element.localName + ' ' + label.trim().split('\\n')[0];
    })()`;
    const IS_IN_DIALOG = `document.activeElement.closest('[role=dialog], [role=alertdialog]') !== null`;
    /** A dialog takes the focus with the next frame, takes it back from its guards, and gives it back when it closes. */
    const untilInDialog = (evaluate: Tab['evaluate']) => expect.poll(() => evaluate(IS_IN_DIALOG)).toBe(true);
    const untilFocusIsOn = (evaluate: Tab['evaluate'], name: string) => expect.poll(() => evaluate(FOCUS)).toBe(name);

    test('skips the navigation', async () => {
      const { page, open, evaluate } = await signIn('ana@example.com', 'admin');
      await open('/accounts/1/keys');
      await page.keyboard.press('Tab');
      expect(await evaluate(FOCUS)).toBe('a Skip to the page');
      await page.keyboard.press('Enter');
      expect(await evaluate('document.activeElement.id')).toBe('main');
      await page.keyboard.press('Tab');
      expect(await evaluate(FOCUS)).toBe('button New key');
    });

    test('reaches every link and control of a page in the order in which they are read', async () => {
      const { page, open, evaluate } = await signIn('ana@example.com', 'admin');
      await open('/accounts/1/syncs');
      const controls =
        (await evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')]
        .filter((element) => !element.disabled && element.checkVisibility()).length`)) as number;
      const places: string[] = [];
      for (let step = 0; step < controls; step += 1) {
        await page.keyboard.press('Tab');
        const where = `(() => {
          const all = [...document.querySelectorAll('*')];
          const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
          const isShown = outlineStyle !== 'none' || boxShadow !== 'none';
          return String(all.indexOf(document.activeElement)).padStart(6, '0') + (isShown ? '' : ' without a mark');
        })()`;
        places.push((await evaluate(where)) as string);
      }
      expect(places).toEqual(places.toSorted());
      expect(new Set(places).size).toBe(controls);
      expect(places.filter((place) => place.endsWith('without a mark'))).toEqual([]);
    });

    test('fills in and sends a form in a dialog, which keeps the focus and gives it back', async () => {
      const { page, open, evaluate } = await signIn('ana@example.com', 'admin');
      await open('/accounts/1/keys');
      const opener = page.getByRole('button', { name: 'New key' });
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'New key' }).waitFor();
      const around: unknown[] = [];
      for (let step = 0; step < 12; step += 1) {
        await untilInDialog(evaluate);
        around.push(await evaluate(FOCUS));
        await page.keyboard.press(step < 8 ? 'Tab' : 'Shift+Tab');
      }
      expect(around).toContain('button Create');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await untilFocusIsOn(evaluate, 'button New key');

      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'New key' }).waitFor();
      const tabTo = async (name: string) => {
        // Asks first whether the focus is in the dialog: once it is, it may be at the place already.
        for (let step = 0; step < 24; step += 1) {
          await untilInDialog(evaluate);
          if ((await evaluate(FOCUS)) === name) return;
          await page.keyboard.press('Tab');
        }
        expect(await evaluate(FOCUS)).toBe(name);
      };
      await tabTo('input Name');
      await page.keyboard.type('by keyboard');
      await tabTo('input read');
      await page.keyboard.press('Space');
      await tabTo('select Restricted to');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await tabTo('button Create');
      await page.keyboard.press('Enter');
      await page.getByText(/osapi_\w{20}/).waitFor();
      const row = page.getByRole('row', { name: 'by keyboard' });
      expect(await row.innerText()).toContain('connection 1');
      await expect.poll(() => evaluate(IS_IN_DIALOG)).toBe(false);

      // Removing asks, and what does nothing has the focus first.
      await row.getByRole('button', { name: 'Revoke' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog').waitFor();
      await untilFocusIsOn(evaluate, 'button Cancel');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await row.getByText('revoked').waitFor();
    });

    test('opens the menu of a narrow page, and goes to another one', async () => {
      const { page, open, evaluate } = await signIn('ana@example.com', 'admin');
      await page.setViewportSize({ width: 390, height: 844 });
      await open('/accounts/1/keys');
      const menu = page.getByRole('button', { name: 'Menu' });
      expect(await menu.getAttribute('aria-expanded')).toBe('false');
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      expect(await menu.getAttribute('aria-expanded')).toBe('true');
      for (let step = 0; step < 40 && (await evaluate(FOCUS)) !== 'a Webhooks'; step += 1) {
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
      expect(await menu.getAttribute('aria-expanded')).toBe('false');
    });
  });
});
