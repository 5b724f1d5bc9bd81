/**
 * An operator who has only an invitation: sets everything up with a simulated HubSpot, sees the first event there, mends a
 * token that the CRM refuses, and erases a person. The server is a process of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { startHubspotSimulator, type HubspotSimulator } from '../../../simulators/src/index.ts';
import { type Process, runServerCommand, startServerProcess } from '../../../server/test/support/processes.ts';
import { buildForProcesses } from './support/built-page.ts';
import { type Chromium, startChromium, type Tab } from './support/tab.ts';

const chromium = inject('chromium');
const PERSON = 'first.event@example.org';
const ORGANIZATION = '1000001';

describe.skipIf(chromium === null)('an operator with an invitation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-journey-'));
  const dataDir = join(folder, 'data');
  let crm: HubspotSimulator;
  let server: Process;
  let browser: Chromium;
  let tab: Tab;

  beforeAll(async () => {
    buildForProcesses();
    crm = await startHubspotSimulator({ oauth: { account: { organizationId: ORGANIZATION, userId: '1001' } } });
    server = await startServerProcess(['--port', '0', '--data-dir', dataDir], {
      SVC_HUBSPOT_URL: crm.url,
      SVC_HUBSPOT_LOGIN_URL: crm.url,
      SVC_HUBSPOT_CLIENT_ID: 'app-1',
      SVC_HUBSPOT_CLIENT_SECRET: 'app-1-secret',
    });
    browser = await startChromium(chromium ?? '', `${server.url}/dashboard`);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.stop(), crm?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
  const emails = () => crm.contacts().map(({ properties }) => properties['email']);

  /** Presses the button, and allows access on the page that the CRM shows in another tab. */
  async function consent(name: string): Promise<void> {
    const opened = tab.page.context().waitForEvent('page');
    await button(name).click();
    const page = await opened;
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You can close this page.').waitFor();
    await page.close();
  }

  test('signs in', async () => {
    const invite = ['users', 'invite', 'ops@example.com', '--role', 'admin', '--data-dir', dataDir];
    const { stdout } = await runServerCommand(invite);
    tab = await (await browser.person({ hasRealTime: true })).signIn(stdout.trim());
    expect(tab.page.url()).toBe(`${server.url}/dashboard/start`);
  });

  test('sets an account, a CRM and a source up, and sees the first event turn green', async () => {
    const { page, inspect, findings } = tab;
    await page.getByLabel('Email of the owner').fill('ops@example.com');
    await button('Create the account').click();
    await consent('Connect with HubSpot');
    await page.getByLabel('Sequencer').selectOption('smartlead');
    await button('Add the source').click();
    await page.getByText('Waiting for your first event').waitFor();
    await inspect('waiting for the first event');
    await button('Post a sample').click();
    await page.getByText('written to the CRM').waitFor();
    expect(emails()).toEqual([PERSON]);
    await page.getByLabel('Name', { exact: true }).fill('reporting');
    await button('Create the key').click();
    await page.getByText('It is shown only once').waitFor();
    await page.getByText('Everything is set up.').waitFor();
    await inspect('everything is set up');
    await page.getByRole('link', { name: 'Open the overview' }).click();
    await page.getByText('Ready: events are written').waitFor();
    expect(findings).toEqual([]);
  });

  test('reconnects a CRM that refuses the token, and writes the event that failed', async () => {
    const { page, open, settle, inspect, findings, evaluate } = tab;
    // The customer removes the app in the CRM, which ends its tokens.
    crm.oauth.removeApp(ORGANIZATION);
    const account = String(await evaluate(`location.pathname.match(/accounts.(\\d+)/)[1]`));
    await open(`/accounts/${account}/sources`);
    await page.getByRole('link', { name: 'smartlead' }).click();
    await settle();
    const url = await page.getByText(/\/webhooks\//).innerText();
    const reply = { event_type: 'EMAIL_REPLY', to_email: 'second@example.org', reply_body: 'Yes' };
    const posted = await fetch(url, { method: 'POST', body: JSON.stringify(reply) });
    expect(posted.status).toBeLessThan(300);

    await open(`/accounts/${account}/overview`);
    await page.getByText('Not ready: one connection').waitFor();
    await inspect('a disconnected CRM');
    await page.getByRole('link', { name: 'Reconnect' }).click();
    await settle();
    await page.getByRole('button', { name: /^Reconnect/ }).click();
    await consent('Reconnect with HubSpot');
    // The note that it is connected is a dialog too.
    await page.getByRole('dialog', { name: 'Reconnect HubSpot' }).waitFor({ state: 'detached' });
    await open(`/accounts/${account}/syncs?status=error`);
    const failed = page.getByRole('table', { name: 'Syncs' }).getByRole('row', { name: /second@example\.org/ });
    await failed.getByRole('button', { name: /Retry/ }).click();
    await vi.waitUntil(() => emails().includes('second@example.org'), { timeout: 60_000, interval: 200 });
    expect(findings).toEqual([]);
  });

  test('erases a person', async () => {
    const { page, open, inspect, findings } = tab;
    await open('/erasure');
    await page.getByLabel('Address of the person').fill(PERSON);
    await button('Show what would be erased').click();
    await page.getByRole('heading', { name: 'Would be erased' }).waitFor();
    await inspect('what would be erased');
    await button('Erase …').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('heading', { name: 'Erased', exact: true }).waitFor();
    await button('Show what would be erased').click();
    await page.getByText('Nothing of this person was found.').waitFor();
    expect(findings).toEqual([]);
  });
});
