/** The way of an unknown sequencer, in a browser: from a source of its own to events that are understood. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');

const call = (id: string, event: string, more: object = {}) => ({
  event,
  event_id: id,
  at: '2026-03-01T09:00:00Z',
  contact: {
    email: 'maren.holt@fjordfreight.example.org',
    name: 'Maren <b>Holt</b>',
    fields: [{ name: 'Phone', value: '+47 21 00 00 00' }],
  },
  agent: 'rep@northwind.example.com',
  ...more,
});

describe.skipIf(chromium === null)('an unknown sequencer', () => {
  let dashboard: Dashboard;
  let browser: Chromium;
  let admin: Tab;
  beforeAll(async () => {
    dashboard = await startDashboard();
    browser = await startChromium(chromium ?? '', dashboard.url);
    admin = await (await browser.person()).signIn(await dashboard.invite('kim@example.com', 'admin'));
  });
  afterAll(async () => {
    await browser.close();
    await dashboard.close();
  });

  test('gets a source, is mapped on the page, and its next event is understood', async () => {
    const { page, open, settle, inspect, findings } = admin;
    const main = page.getByRole('main');
    const button = (name: string | RegExp) => main.getByRole('button', { name, exact: true });

    await open('/accounts/1/sources');
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Another sequencer' }).click();
    await dialog.getByLabel('Connection').selectOption('1');
    await dialog.getByLabel('Name').fill('my-dialer');
    await dialog.getByRole('button', { name: 'Add the source' }).click();
    await page.getByRole('heading', { name: /^Source \d+: my-dialer$/ }).waitFor();
    await settle();
    const url = new URL(
      (
        await main
          .getByText(/\/webhooks\//)
          .first()
          .innerText()
      ).trim(),
    );
    const post = async (body: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(dashboard.server.url + url.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      await dashboard.settle();
      return ((await answer.json()) as { requestId: number }).requestId;
    };
    const first = await post(call('c-1', 'call.ended'), { 'x-dialer-event': 'call' });
    await post(call('c-2', 'call.started'));

    await page.getByRole('navigation', { name: 'Source' }).getByRole('link', { name: 'Mapping' }).click();
    await main.getByLabel('Payload of', { exact: true }).selectOption(String(first));
    await settle();
    // A click on a value sets the first field that is missing, one after the other.
    await main.getByText('A click on a value sets Event name.').waitFor();
    await button('"event": "call.ended",').click();
    await main.getByText('A click on a value sets Email.').waitFor();
    await button(/^"email"/).click();
    expect(await main.getByRole('combobox', { name: 'Email', exact: true }).inputValue()).toBe('contact.email');
    await button(/^"at"/).click();
    // The keyboard does it too: the field gets the focus, arrow keys move in the payload, Enter sets the path.
    await main.getByRole('combobox', { name: 'Phone', exact: true }).focus();
    await main.getByText('A click on a value sets Phone.').waitFor();
    await button(/^"name": "Phone"/).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await main.getByRole('combobox', { name: 'Phone', exact: true }).inputValue()).toBe(
      'contact.fields[name=Phone].value',
    );
    // The names of all requests are offered, and the preview follows what is chosen.
    await main.getByText('It is not understood: the mapping has no event type for CALL_ENDED.').waitFor();
    await main.getByLabel('What call.ended is').selectOption('CALL_COMPLETED');
    await main.getByLabel('What call.started is').selectOption('ignored');
    const fields = main.getByRole('table', { name: 'Fields of event 1' });
    await fields.getByText('+47210000000', { exact: false }).or(fields.getByText('+47 21 00 00 00')).waitFor();
    const newest = main.getByRole('table', { name: 'What is read from the last requests' });
    await newest.getByText('the mapping ignores CALL_STARTED').waitFor();
    await newest.getByText('CALL_COMPLETED').waitFor();
    await inspect('the mapped form');

    // The same mapping as JSON; a mistake says where it is, and what is not valid says so in the field's words.
    await button('JSON').click();
    const json = main.getByLabel('Mapping as JSON');
    const mapping = JSON.parse(await json.inputValue()) as { fields: object };
    expect(mapping).toEqual({
      fields: {
        eventName: 'event',
        occurredAt: 'at',
        email: 'contact.email',
        phone: 'contact.fields[name=Phone].value',
      },
      eventTypes: { 'call.ended': 'CALL_COMPLETED', 'call.started': 'ignored' },
    });
    await json.fill('{\n  "fields": {"email" "contact.email"}\n}');
    await main.getByText('Line 2, column 22: a colon is missing.').waitFor();
    expect(await button(/^Save/).isDisabled()).toBe(true);
    await inspect('a mistake in the JSON', ['light']);
    await json.fill(JSON.stringify({ ...mapping, fields: { ...mapping.fields, fullName: 'contact..name' } }));
    await button('Form').click();
    await main.getByText(/^Full name cannot be read from "\.\.name"/).waitFor();
    // Unsaved changes stay while the user looks elsewhere.
    const tabs = page.getByRole('navigation', { name: 'Source' });
    await tabs.getByRole('link', { name: 'Overview' }).click();
    await settle();
    await tabs.getByRole('link', { name: 'Mapping' }).click();
    await main.getByRole('combobox', { name: 'Full name', exact: true }).fill('contact.name');
    await fields.getByText('Maren <b>Holt</b>').waitFor();
    await button('Save as version 1').click();
    await main.getByText('Version 1 reads the payloads that come from now on.').waitFor();
    await inspect('a saved mapping', ['light']);

    const last = await post(call('c-3', 'call.ended', { at: '2026-03-01T09:10:00Z' }));
    await main.getByRole('option', { name: new RegExp(`Request ${last}: synced`) }).waitFor({ state: 'attached' });
    await tabs.getByRole('link', { name: 'Overview' }).click();
    await main.getByRole('table', { name: 'Last requests' }).getByText('CALL_COMPLETED').waitFor();
    expect(findings).toEqual([]);
  });

  test('is changed again, and goes back to an earlier version', async () => {
    const { page, settle, findings } = admin;
    const main = page.getByRole('main');
    await page.getByRole('navigation', { name: 'Source' }).getByRole('link', { name: 'Mapping' }).click();
    await settle();
    await main.getByRole('combobox', { name: 'Full name', exact: true }).fill('');
    await main.getByRole('button', { name: 'Save as version 2' }).click();
    await main.getByText('Version 2 reads the payloads that come from now on.').waitFor();
    await main.getByRole('button', { name: 'Show version 1' }).click();
    await page.getByRole('button', { name: 'Take it into the editor' }).click();
    expect(await main.getByRole('combobox', { name: 'Full name', exact: true }).inputValue()).toBe('contact.name');
    await main.getByRole('button', { name: 'Discard the changes' }).click();
    expect(await main.getByRole('combobox', { name: 'Full name', exact: true }).inputValue()).toBe('');
    await main.getByRole('button', { name: 'Remove …', exact: true }).last().click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await main.getByText('without a mapping').waitFor();
    expect(findings).toEqual([]);
  });

  test('can be mapped by the proposal alone', async () => {
    const { page, findings } = admin;
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Propose a mapping from the requests' }).click();
    await main.getByText(/^It is proposed from \d+ different events/).waitFor();
    expect(await main.getByRole('combobox', { name: 'Email', exact: true }).inputValue()).toBe('contact.email');
    expect(await main.getByRole('combobox', { name: 'From email', exact: true }).inputValue()).toBe('agent');
    await main.getByRole('button', { name: 'Save as version 4' }).click();
    await main.getByText('Version 4 reads the payloads that come from now on.').waitFor();
    expect(findings).toEqual([]);
  });

  test('a viewer sees the mapping and what it reads, and changes nothing', async () => {
    const address = new URL(admin.page.url()).pathname.replace(/^.*\/dashboard/, '');
    const { page, open, inspect, findings } = await (await browser.person()).signIn(
      await dashboard.invite('lee@example.com', 'viewer'),
    );
    await open(address);
    const main = page.getByRole('main');
    const email = main.getByRole('combobox', { name: 'Email', exact: true });
    expect(await email.inputValue()).toBe('contact.email');
    expect(await email.isEditable()).toBe(false);
    await main.getByRole('table', { name: 'Fields of event 1' }).waitFor();
    expect(await main.getByRole('button', { name: /^(Save|Propose|Remove|Add|Discard)/ }).count()).toBe(0);
    await inspect('what a viewer sees', ['light']);
    expect(findings).toEqual([]);
  });

  test('a platform with an adapter shows what the adapter reads, of a pasted payload too', async () => {
    const { page, open, findings } = admin;
    await open('/accounts/1/sources/1/mapping');
    const main = page.getByRole('main');
    await main.getByText('The adapter of smartlead is built in').waitFor();
    expect(await main.getByRole('combobox', { name: 'Email', exact: true }).count()).toBe(0);
    await main.getByLabel('Payload of', { exact: true }).selectOption('pasted');
    await main
      .getByLabel('Payload', { exact: true })
      .fill('{"event_type": "EMAIL_REPLY", "to_email": "zoe@example.org"}');
    await main.getByText('EMAIL_REPLY').first().waitFor();
    await main.getByText('of zoe@example.org').waitFor();
    expect(findings).toEqual([]);
  });
});
