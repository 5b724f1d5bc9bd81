import type { OutcomePlan } from '@svc/domain/policy/outcomes';

/** A CRM that is simulated in this process, with the users and properties that an event names. */
export interface DryRunCrm {
  url: string;
  close(): Promise<void>;
}

export interface DryRunCrmContent {
  /** Addresses of users. */
  users: readonly string[];
  /** Properties of people that take any text. Those that the CRM has anyway stay as they are. */
  properties: readonly string[];
  /** What the CRM must have for the outcomes. */
  outcomes: readonly OutcomePlan[];
  now: () => Date;
}

/** @returns null for a CRM that this release does not write to */
export async function startDryRunCrm(
  crm: string,
  { users, properties, outcomes, now }: DryRunCrmContent,
): Promise<DryRunCrm | null> {
  const { startHubspotSimulator, startPipedriveSimulator, startSalesforceSimulator } = await import('@svc/simulators');
  switch (crm) {
    case 'HUBSPOT': {
      const simulator = await startHubspotSimulator({ owners: users, now, pipelines: toPipelines(outcomes) });
      const statuses = outcomes.flatMap(({ leadStatus }) => leadStatus ?? []);
      simulator.addOptions('contacts', 'hs_lead_status', statuses);
      const stages = outcomes.flatMap(({ lifecycleStage }) => lifecycleStage ?? []);
      simulator.addOptions('contacts', 'lifecyclestage', stages);
      for (const listId of new Set(outcomes.flatMap(({ lists }) => lists))) {
        simulator.createList({ listId, name: listId, objectType: 'contacts', members: [] });
      }
      const group = `${simulator.url}/crm/properties/2026-09/contacts/groups`;
      if (properties.length > 0) await post(group, { name: 'dry_run', label: 'Dry run' });
      for (const name of properties)
        await post(`${simulator.url}/crm/properties/2026-09/contacts`, {
          ...{ name, label: name, groupName: 'dry_run', type: 'string', fieldType: 'text' },
        });
      return simulator;
    }
    case 'SALESFORCE':
      return startSalesforceSimulator({
        users: users.map((email) => ({ email })),
        now,
        org: {
          customFields: properties
            .filter((name) => name.endsWith('__c'))
            .flatMap((name) =>
              (['Contact', 'Lead'] as const).map((objectType) => ({
                objectType,
                name,
                type: 'string' as const,
                length: 255,
              })),
            ),
        },
      });
    case 'PIPEDRIVE': {
      const simulator = await startPipedriveSimulator({
        ...{ users: ['owner@example.com', ...users], hasCampaigns: true, now },
      });
      for (const name of properties)
        await post(`${simulator.url}/api/v2/personFields`, { field_name: name, field_type: 'varchar' });
      return simulator;
    }
    default:
      return null;
  }
}

/** Returns the pipelines that deals name, each with the stages that they name there; others are not needed. */
function toPipelines(outcomes: readonly OutcomePlan[]) {
  const byPipeline = Map.groupBy(
    outcomes.flatMap(({ deals }) => deals),
    ({ pipeline }) => pipeline ?? '',
  );
  // The first one stands for deals that name none.
  return [...byPipeline]
    .toSorted(([a], [b]) => (a === '' ? -1 : b === '' ? 1 : 0))
    .map(([name, deals]) => ({
      ...{ id: name === '' ? 'default' : name, label: name },
      stages: [...new Set(deals.map(({ stage }) => stage))].map((stage) => ({ id: stage, label: stage })),
    }));
}

/** What is there already is refused, and stays. */
async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer dry-run', 'x-api-token': 'dry-run' };
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
