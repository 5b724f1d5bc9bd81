/** What the servers of a chaos run call: CRMs, a sequencer's block lists, a mail server, destinations and a webhook, with seeded faults. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from '@svc/domain/world';
import {
  startHubspotSimulator,
  startMailSimulator,
  startPipedriveSimulator,
  startSalesforceSimulator,
  startSequencerSimulator,
} from '@svc/simulators';
import { startForwarder } from '../support/cluster/forwarder.ts';
import type { Network } from '../support/cluster/network.ts';
import { createRandom, type Random } from './random.ts';

/** How calls to a CRM fail. A hanging one takes the connector's 10 s, so it is rare. */
const CRM_FAULTS = [500, 503, 502, 429, 'reset', 'lost-answer', 'lost-answer', 'truncated', 'html'] as const;
const CRM_FAULT_SHARE = 0.2;
const HANG_SHARE = 0.001;
const LOCKED_SHARE = 0.05;
const LOCKED = { objectType: 'Task', errorCode: 'UNABLE_TO_LOCK_ROW' } as const;
const MAIL_FAULTS = [451, 'reset', 'lost-answer'] as const;

export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** @param now the clock of the servers: a CRM whose clock is minutes behind cannot tell what is new */
export async function startOutside(network: Network, world: World, now: () => Date) {
  let isFailing = false;
  let chances: Random = createRandom(0);
  const faults = () => {
    const chance = chances.next();
    if (!isFailing || chance > CRM_FAULT_SHARE) return null;
    return chance < HANG_SHARE ? 'hang' : chances.pick(CRM_FAULTS);
  };
  const { connections } = world;
  const organizationOf = (token: string) => connections.find(({ crmToken }) => crmToken === token)?.organizationId;
  const hubspot = await startHubspotSimulator({
    ...{ faults, now },
    describeToken: (token) => ({ hubId: Number(organizationOf(token)) }),
  });
  const salesforce = await startSalesforceSimulator({
    ...{ now, organizationOf },
    faults() {
      // One record of a call is refused for a moment, and the others are written.
      if (isFailing && chances.next() < LOCKED_SHARE) salesforce.failRecords(1, LOCKED);
      return faults();
    },
  });
  const pipedrive = await startPipedriveSimulator({ faults, now, companyOf: (token) => Number(organizationOf(token)) });
  // Their limits of a day would make a long run wait for the next.
  salesforce.setRateLimit({ daily: 1_000_000_000 });
  pipedrive.setRateLimit({ burst: 10_000, dailyTokens: 1_000_000_000 });
  const sequencer = await startSequencerSimulator();
  const mail = await startMailSimulator();
  const members = Array.from({ length: 60 }, (_, index) => `member-${index}@customers.example`);
  hubspot.createList({ listId: '9001', name: 'Customers', objectType: 'contacts', members });
  pipedrive.createFilter({ filterId: '9002', name: 'Customers', type: 'people', members });

  const copies = new Map<string, number>();
  mail.onMail(({ headers }) => {
    const id = headers['message-id'] ?? '';
    copies.set(id, (copies.get(id) ?? 0) + 1);
    if (isFailing && chances.next() < 0.1) mail.failNext(chances.pick(MAIL_FAULTS));
  });

  /** Posts by path and `Service-Payload-Id` or `Service-Delivery-Id`. */
  const received = new Map<string, number>();
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => {
      const id = request.headers['service-payload-id'] ?? request.headers['service-delivery-id'];
      const chance = isFailing ? chances.next() : 1;
      if (chance < 0.05) return response.writeHead(503).end();
      const key = `${request.url} ${String(id)}`;
      received.set(key, (received.get(key) ?? 0) + 1);
      if (chance < 0.08) return request.socket.destroy();
      return response.end();
    });
  }).listen(0, network.address);
  await once(receiver, 'listening');
  const receiverUrl = `http://${network.address}:${(receiver.address() as AddressInfo).port}`;

  const simulators = [hubspot, salesforce, pipedrive, sequencer, mail];
  const forward = (url: string) => startForwarder(network.address, url);
  const forwarders = await Promise.all(simulators.map(({ url }) => forward(url.replace(/^smtp:/, 'http:'))));
  const [hubspotUrl, salesforceUrl, pipedriveUrl, sequencerUrl, mailUrl] = forwarders.map(({ url }) => url);
  return {
    hubspot,
    salesforce,
    pipedrive,
    sequencer,
    copies,
    received,
    receiverUrl,
    salesforceUrl: salesforceUrl ?? '',
    members,
    /** Variables of a server that calls them. */
    env: {
      SVC_HUBSPOT_URL: hubspotUrl ?? '',
      SVC_PIPEDRIVE_URL: pipedriveUrl ?? '',
      SVC_SMARTLEAD_URL: sequencerUrl ?? '',
      SVC_INSTANTLY_URL: sequencerUrl ?? '',
      // Each reply is looked for in a mail of its own.
      SVC_RELAY_MAILS_PER_HOUR: '100000',
      SVC_SMTP_URL: `${(mailUrl ?? '').replace('http:', 'smtp:')}?tls=off`,
      SVC_MAIL_FROM: 'relay@svc.example',
      SVC_OUTBOUND_ALLOW: network.cidr,
    },
    /** The CRMs, the mail server and the receiver fail from now on, by these chances. */
    startFaults(random: Random) {
      chances = random;
      isFailing = true;
    },
    endFaults() {
      isFailing = false;
      mail.failNext();
    },
    async close() {
      receiver.close();
      receiver.closeAllConnections();
      for (const simulator of simulators) await simulator.close();
      for (const forwarder of forwarders) await forwarder.close();
    },
  };
}
