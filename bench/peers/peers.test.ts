import { readFileSync } from 'node:fs';
import { startHubspotSimulator } from '@svc/simulators';
import { expect, test } from 'vitest';
import { writeReply } from './hubspot-calls.ts';
import { HUBSPOT_API } from './n8n.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

type Node = { name: string; parameters: { method?: string; url?: string; path?: string } };

test('the workflow of n8n makes the calls of the pipeline by hand, in their order', async () => {
  const simulator = await startHubspotSimulator();
  try {
    await writeReply({ url: simulator.url, token: 'any' }, read('../../fixtures/payloads/smartlead/email-reply.json'));
    const { nodes, connections }: { nodes: Node[]; connections: Record<string, { main: { node: string }[][] }> } =
      read('./n8n-workflow.json');
    expect(nodes[0]?.parameters.path).toBe('smartlead');
    expect(nodes.slice(1).map(({ parameters: { method, url } }) => `${method} ${url}`)).toEqual(
      simulator.requests().map(({ method, path }) => `${method} ${HUBSPOT_API}${path}`),
    );
    expect(nodes.map(({ name }) => connections[name]?.main[0]?.[0]?.node)).toEqual([
      ...nodes.slice(1).map(({ name }) => name),
      undefined,
    ]);
  } finally {
    await simulator.close();
  }
});

test('the pipeline by hand writes an email on the timeline of its contact', async () => {
  const simulator = await startHubspotSimulator();
  try {
    const payload = read('../../fixtures/payloads/smartlead/email-reply.json');
    for (const subject of ['first', 'second']) {
      await writeReply({ url: simulator.url, token: 'any' }, { ...payload, subject });
    }
    const { contacts, engagements } = simulator.state();
    expect(contacts).toMatchObject([
      { properties: { email: payload.sl_lead_email, firstname: 'Maren', lastname: 'Holt' } },
    ]);
    expect(
      engagements.map(({ associations, properties }) => [associations.contacts, properties['hs_email_subject']]),
    ).toEqual([
      [[contacts[0]?.id], 'first'],
      [[contacts[0]?.id], 'second'],
    ]);
  } finally {
    await simulator.close();
  }
});
