/**
 * Shows the calls that a connector would make for events, without calling the CRM: the connector of the release runs against a CRM that is
 * simulated in this process. So what is shown is what the code does, not a description of it.
 */
import {
  CRM_REGISTRY,
  createCrmConnectors,
  type CrmAccess,
  type CrmOutcome,
  type CrmWrite,
  memoryRecords,
} from '@svc/crm';
import { BLANK_CONTACT } from '@svc/sequencers';
import { type DryRunCrm, startDryRunCrm } from './dry-run-crm.ts';

export interface DryCall {
  method: string;
  /** Path with its query. */
  path: string;
  /** What would be sent as JSON, or as text; null: nothing. */
  body: unknown;
}

export interface DryRun {
  outcome: CrmOutcome;
  calls: DryCall[];
}

export interface DryRunOptions {
  crm: string;
  /** Whether the CRM has the contacts of the events already, with all that the events say about them. */
  areContactsKnown: boolean;
  now: () => Date;
}

const TIMEOUT_MS = 10_000;
const ORGANIZATION_ID = '1';

/**
 * Returns what would be called for each event, one after the other. All addresses in the plans of the events are users of the simulated
 * CRM; calls that are made once per account, such as for the properties of this service, are left out.
 *
 * @returns null for a CRM that this release does not write to
 */
export async function dryRun(events: readonly CrmWrite[], options: DryRunOptions): Promise<DryRun[] | null> {
  const { crm, areContactsKnown, now } = options;
  const users = [...new Set(events.flatMap(({ plan }) => plan.owner?.candidates.filter(isAddress) ?? []))];
  const properties = [...new Set(events.flatMap(({ fields }) => fields.map(({ property }) => property)))];
  const outcomes = events.flatMap(({ plan }) => plan.outcomes ?? []);
  const simulator = await startDryRunCrm(crm, { users, properties, outcomes, now });
  if (simulator === null) return null;
  try {
    const calls: DryCall[] = [];
    const recording: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const text = await request.clone().text();
      const { pathname, search } = new URL(request.url);
      calls.push({ method: request.method, path: `${pathname}${search}`, body: toBody(text) });
      return fetch(request);
    };
    const connector = createCrmConnectors({
      fetch: recording,
      baseUrls: { [crm]: simulator.url },
      timeoutMs: TIMEOUT_MS,
      now,
    }).get(crm);
    if (connector === undefined) return null;
    const records = memoryRecords();
    if (events.some(needsPreparation)) {
      const { createSetup } = CRM_REGISTRY.find((registered) => registered.crm === crm) ?? {};
      const setup = createSetup?.({ fetch, baseUrl: simulator.url, timeoutMs: TIMEOUT_MS, now });
      await setup?.prepare({ access: accessOf(simulator), isDryRun: false });
    }
    const write = async (event: CrmWrite): Promise<DryRun> => {
      calls.length = 0;
      const [outcome] = await connector.writeEvents({
        access: accessOf(simulator),
        organizationId: ORGANIZATION_ID,
        records,
        events: [event],
      });
      if (outcome === undefined) throw new Error('The connector returned no outcome.');
      return { outcome, calls: [...calls] };
    };
    // Whatever is called once per account is called for somebody else before.
    for (const event of events) await write(asCreated(asOfSomebodyElse(event)));
    if (areContactsKnown) for (const event of events) await write(asCreated(event, KNOWN));
    const results: DryRun[] = [];
    for (const event of events) results.push(await write(event));
    return results;
  } finally {
    await simulator.close();
  }
}

function accessOf({ url }: DryRunCrm): CrmAccess {
  return { accessToken: 'dry-run', tokenType: 'private', apiUrl: url, quota: UNLIMITED };
}

/** Whether `connections prepare` makes properties that the event is written to. */
function needsPreparation({ lastValues, plan }: CrmWrite): boolean {
  return lastValues !== null || plan.outcomes !== null;
}

const UNLIMITED = { take: async () => null, report: async () => {} };

function asOfSomebodyElse(event: CrmWrite): CrmWrite {
  const email = 'dry-run@dry-run.example.org';
  const contact = {
    ...BLANK_CONTACT,
    email,
    lastName: 'Dry run',
    profileUrl: 'https://www.linkedin.com/in/svc-dry-run',
  };
  return { ...event, event: { ...event.event, toEmail: email, contact } };
}

const KNOWN = 'known';

/** The event with a plan that creates its contact, under a key of its own. */
function asCreated(event: CrmWrite, key = 'somebody else'): CrmWrite {
  const { plan, idempotencyKey } = event;
  const writes = { timeline: true, fields: true, task: plan.writes.task };
  // A known contact has neither the deal nor the status that the event gives it.
  const outcomes = key === KNOWN ? null : plan.outcomes;
  return { ...event, idempotencyKey: `${idempotencyKey} ${key}`, plan: { ...plan, writes, mayCreate: true, outcomes } };
}

function isAddress(candidate: string): boolean {
  return candidate.includes('@');
}

function toBody(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
