/** What the form of a reply relay sends. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { AccountProvider } from '../../src/data/account.tsx';
import { RelayForm } from '../../src/pages/relays/relay-form.tsx';
import { expectAccessible, show } from './support/render.tsx';

const RELAY = {
  ...{ id: 2, connectionId: 1, ccEmail: 'rep@example.com', delayMinutes: 15, description: '' },
  ...{ bodyTemplates: [], categoryAllowlist: [], sourceIds: [], createdAt: '2026-03-01T00:00:00.000Z' },
  routes: ['crm-owner' as const],
};

function recordUpdates() {
  const sent: unknown[] = [];
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    if (!(request instanceof Request)) throw new Error('the page sends requests');
    if (!request.url.endsWith('relays/update')) return Response.json({ result: { connections: [] } });
    sent.push(await request.json());
    return Response.json({ result: { replyRelay: RELAY } });
  });
  onTestFinished(() => spy.mockRestore());
  return sent;
}

test('changes and removes the routes of a relay', async () => {
  const sent = recordUpdates();
  show(
    <AccountProvider id={1}>
      <RelayForm relay={RELAY} onDone={() => {}} />
    </AccountProvider>,
  );
  const routes = page.getByLabelText('Routes (optional)');
  const save = page.getByRole('button', { name: 'Save' });
  await expect.element(routes).toHaveValue('crm-owner');
  await expectAccessible();
  await routes.fill('policy-owner\nBerlin* = ana@example.com');
  await save.click();
  await expect.poll(() => sent).toHaveLength(1);
  await routes.fill('');
  await save.click();
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent).toMatchObject([
    { id: 2, routes: ['policy-owner', { campaigns: [{ campaign: 'Berlin*', to: 'ana@example.com' }] }] },
    { id: 2, routes: null },
  ]);
});
