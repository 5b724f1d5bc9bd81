import { blocklistMembers, type ListOfMembers } from '@svc/domain/world/blocklist-members';
import { type HubspotSimulator, startHubspotSimulator } from './hubspot/simulator.ts';
import { type MailSimulator, startMailSimulator } from './mail-server.ts';
import { type PipedriveSimulator, startPipedriveSimulator } from './pipedrive/simulator.ts';
import { type SalesforceSimulator, startSalesforceSimulator } from './salesforce/simulator.ts';
import { type ReceiverSimulator, startReceiverSimulator } from './receiver.ts';
import { type SequencerSimulator, startSequencerSimulator } from './sequencer.ts';
import type { WebhookPlatform } from './sequencers/webhooks.ts';

/** Simulators of everything that a server with a world calls, on loopback. */
export interface SimulatedWorld {
  crm: HubspotSimulator;
  salesforce: SalesforceSimulator;
  pipedrive: PipedriveSimulator;
  sequencer: SequencerSimulator;
  receiver: ReceiverSimulator;
  /** Receives the mails of reply relays. */
  mail: MailSimulator;
  /** Configuration of a server that uses the simulators. */
  config: { crmUrls: Record<string, string>; sequencerUrls: Record<WebhookPlatform, string> };
  /** `SVC_SMTP_URL` and `SVC_MAIL_FROM` of a server that uses the mail server. */
  mailSettings: { smtpUrl: string; from: string };
  close(): Promise<void>;
}

interface SimulatedConnections {
  readonly connections: readonly { organizationId: string; crmToken: string | null }[];
}

interface WorldLists {
  readonly blocklists: readonly (ListOfMembers & { crm: string | null; crmListId: string | null })[];
}

export async function startSimulatedWorld(world: WorldLists & SimulatedConnections): Promise<SimulatedWorld> {
  const accounts = new Map(world.connections.map(({ crmToken, organizationId }) => [crmToken, organizationId]));
  const crm = await startHubspotSimulator({
    tokens: 'any',
    owners: ['owner@example.com'],
    describeToken(token) {
      const hubId = Number(accounts.get(token));
      return Number.isInteger(hubId) ? { hubId } : {};
    },
  });
  seedLists(crm, world);
  const salesforce = await startSalesforceSimulator({ organizationOf: (token) => accounts.get(token) });
  const pipedrive = await startPipedriveSimulator({ companyOf: (token) => Number(accounts.get(token)) });
  seedFilters(pipedrive, world);
  const sequencer = await startSequencerSimulator();
  const receiver = await startReceiverSimulator();
  const { url } = sequencer;
  const blocklists = { smartlead: url, instantly: url, emailbison: url, lemlist: url, 'reply-io': url };
  const sequencerUrls = { ...blocklists, heyreach: url, salesloft: url };
  const mail = await startMailSimulator();
  return {
    crm,
    salesforce,
    pipedrive,
    sequencer,
    receiver,
    mail,
    mailSettings: { smtpUrl: mail.url, from: 'Reply relay <relay@svc.example>' },
    config: {
      crmUrls: { HUBSPOT: crm.url, SALESFORCE: salesforce.url, PIPEDRIVE: pipedrive.url },
      sequencerUrls,
    },
    async close() {
      await Promise.all([
        crm.close(),
        salesforce.close(),
        pipedrive.close(),
        sequencer.close(),
        receiver.close(),
        mail.close(),
      ]);
    },
  };
}

/** Creates the CRM lists of the world's block lists, with as many members as the world counts. */
export function seedLists(crm: HubspotSimulator, world: WorldLists): void {
  for (const list of world.blocklists) {
    if (list.crmListId === null || list.crm !== 'HUBSPOT') continue;
    crm.createList({
      listId: list.crmListId,
      name: list.listName,
      objectType: list.blockType === 'DOMAIN' ? 'companies' : 'contacts',
      members: blocklistMembers(list),
    });
  }
}

/** The same in Pipedrive, where a list is a filter. */
function seedFilters(pipedrive: PipedriveSimulator, world: WorldLists): void {
  for (const list of world.blocklists) {
    if (list.crmListId === null || list.crm !== 'PIPEDRIVE') continue;
    pipedrive.createFilter({
      filterId: list.crmListId,
      name: list.listName,
      type: list.blockType === 'DOMAIN' ? 'org' : 'people',
      members: blocklistMembers(list),
    });
  }
}
