import { blocklistMembers, type ListOfMembers } from '@svc/domain/world/blocklist-members';
import { type HubspotSimulator, startHubspotSimulator } from './hubspot/simulator.ts';
import { type ReceiverSimulator, startReceiverSimulator } from './receiver.ts';
import { type SequencerSimulator, startSequencerSimulator } from './sequencer.ts';

/** Everything that a server with a world talks to, on loopback: in a demo and in tests nothing leaves the machine. */
export interface SimulatedWorld {
  crm: HubspotSimulator;
  sequencer: SequencerSimulator;
  receiver: ReceiverSimulator;
  /** Where a server finds them. */
  config: { hubspotUrl: string; smartleadUrl: string; instantlyUrl: string };
  close(): Promise<void>;
}

interface WorldLists {
  readonly blocklists: readonly (ListOfMembers & { crm: string | null; crmListId: string | null })[];
}

export async function startSimulatedWorld(world: WorldLists): Promise<SimulatedWorld> {
  const crm = await startHubspotSimulator({ tokens: 'any' });
  seedLists(crm, world);
  const sequencer = await startSequencerSimulator();
  const receiver = await startReceiverSimulator();
  return {
    crm,
    sequencer,
    receiver,
    config: { hubspotUrl: crm.url, smartleadUrl: sequencer.url, instantlyUrl: sequencer.url },
    async close() {
      await Promise.all([crm.close(), sequencer.close(), receiver.close()]);
    },
  };
}

/** Makes the CRM lists that the world's block lists are read from, with as many members as the world says they have. */
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
