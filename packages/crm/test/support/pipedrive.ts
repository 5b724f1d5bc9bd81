import type { LastValues } from '@svc/domain/policy/last-values';
import { planFields } from '@svc/domain/policy/planned-fields';
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import type { InboundEvent } from '@svc/sequencers';
import type { PipedriveSimulator } from '@svc/simulators';
import { createPipedriveConnector, type PipedriveConnectorOptions } from '../../src/pipedrive/connector.ts';
import type { CrmBatch, CrmConnector, CrmOutcome, CrmWrite } from '../../src/port/types.ts';
import { accessTo, memoryRecords } from './batch.ts';
import { inboundEvent } from './inbound-event.ts';
import { type Deciders, planOf } from './plan.ts';

/** What the tests of the Pipedrive connector share: a clock, events, and a writer with records of its own. */

export const TOKEN = 'personal-0000-not-a-real-token';
export const START = new Date('2026-03-01T12:00:00.000Z');

const event = inboundEvent({ bodyText: 'Hello Kim', contact: { ...inboundEvent().contact, jobTitle: 'CEO' } });

const CONTEXT = { sequencer: 'smartlead', readPayload: () => null };

/** One event; `contact` and `source` change single fields. */
export interface EventChanges extends Partial<Omit<InboundEvent, 'contact'>>, Deciders {
  key?: string;
  isRepeated?: boolean;
  contact?: Partial<InboundEvent['contact']>;
  lastValues?: LastValues | null;
}

export function toWrite(changes: EventChanges = {}): CrmWrite {
  const { key = 'k1', isRepeated = false, contact, source, policy = {}, lastValues = null, ...rest } = changes;
  const email = rest.toEmail?.includes('@') === true ? { email: rest.toEmail } : {};
  const changed = { ...event, eventKey: key, ...rest, contact: { ...event.contact, ...email, ...contact } };
  return {
    plan: planOf(changed, { source, policy }),
    event: changed,
    idempotencyKey: `12:${key}`,
    receivedAt: START,
    fields: planFields(writePolicySchema.parse(policy).fields ?? [], changed, CONTEXT),
    lastValues,
    isRepeated,
  };
}

/** An event of another contact. */
export function of(name: string, changes: EventChanges = {}): EventChanges {
  return { key: name, toEmail: `${name}@fjord.example.org`, ...changes };
}

export interface Writer {
  connector: CrmConnector;
  records: ReturnType<typeof memoryRecords>;
  access: CrmBatch['access'];
  write(...events: readonly EventChanges[]): Promise<readonly CrmOutcome[]>;
}

export function createWriter(
  simulator: PipedriveSimulator,
  options: Partial<PipedriveConnectorOptions> & {
    records?: Writer['records'];
    access?: Partial<CrmBatch['access']>;
  } = {},
): Writer {
  const { records = memoryRecords(), access: accessChanges, ...rest } = options;
  const connector = createPipedriveConnector({ fetch, baseUrl: simulator.url, timeoutMs: 60_000, ...rest });
  const access = accessTo(TOKEN, accessChanges);
  return {
    connector,
    records,
    access,
    write: (...events) =>
      connector.writeEvents({ access, organizationId: '7000001', records, events: events.map(toWrite) }),
  };
}
