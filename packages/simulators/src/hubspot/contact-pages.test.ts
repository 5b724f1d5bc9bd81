import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubspotSimulator, startHubspotSimulator } from './simulator.ts';

let simulator: HubspotSimulator;
beforeAll(async () => {
  simulator = await startHubspotSimulator({ owners: ['rep@example.com'] });
});
afterAll(() => simulator.close());

async function call(path: string, body: unknown): Promise<string> {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { results } = JSON.parse(await response.text());
  return results?.[0]?.id ?? '';
}

async function page(path: string) {
  const response = await fetch(`${simulator.url}${path}`);
  const html = await response.text();
  return { status: response.status, headers: response.headers, html, text: html.replaceAll(/<[^>]*>/g, ' ') };
}

test('the list of contacts, and one contact with its fields and its timeline, without scripts', async () => {
  expect((await page('/__sim/contacts')).text).toContain('No event was written yet.');
  const contactId = await call('/crm/objects/2026-09/contacts/batch/upsert', {
    inputs: [
      {
        idProperty: 'email',
        id: 'kim@example.org',
        properties: { firstname: 'Kim', lastname: '<b>Berg</b>', hubspot_owner_id: '7001' },
      },
    ],
  });
  await call('/crm/properties/2026-09/notes/groups', { name: 'svc', label: 'Svc' });
  await call('/crm/properties/2026-09/notes', {
    ...{
      name: 'svc_event_key',
      label: 'Key',
      groupName: 'svc',
      type: 'string',
      fieldType: 'text',
      hasUniqueValue: true,
    },
  });
  const hs_note_body = '<p><strong>Mail opened</strong></p>';
  const noteId = await call('/crm/objects/2026-09/notes/batch/upsert', {
    inputs: [
      { idProperty: 'svc_event_key', id: 'k1', properties: { hs_timestamp: '2026-03-01T10:00:00.000Z', hs_note_body } },
    ],
  });
  await call('/crm/associations/2026-09/notes/contacts/batch/associate/default', {
    inputs: [{ from: { id: noteId }, to: { id: contactId } }],
  });
  const dealId = await call('/crm/objects/2026-09/deals/batch/create', {
    inputs: [{ properties: { dealname: 'Fjord', pipeline: 'default', dealstage: 'qualifiedtobuy' }, associations: [] }],
  });
  await call('/crm/associations/2026-09/deals/contacts/batch/associate/default', {
    inputs: [{ from: { id: dealId }, to: { id: contactId } }],
  });
  const list = await page('/__sim/contacts');
  expect(list.html).toContain(`href="/__sim/contacts/${contactId}"`);
  expect(list.text).toContain('1 record on the timeline');
  const { status, headers, html, text } = await page(`/__sim/contacts/${contactId}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(html).not.toContain('<b>Berg');
  expect(text).toMatch(/Fjord\s+qualifiedtobuy of the pipeline default/);
  expect(text).toMatch(/hubspot_owner_id\s+rep@example\.com/);
  expect(text).toMatch(/Note\s+2026-03-01T10:00:00\.000Z\s+Mail opened/);
});

test('no page for an unknown contact', async () => {
  expect((await page('/__sim/contacts/1')).status).toBe(404);
});
