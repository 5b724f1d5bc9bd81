import { dealNameOf, type PlannedDeal } from '@svc/domain/policy/outcomes';
import { findOption } from '../events/field-values.ts';
import { truncateText } from '../events/text-limits.ts';
import { asObject, asText, type Fields } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { DEAL_KEY_FIELD } from './org.ts';
import { ownerOf, type Owners } from './owners.ts';
import type { PersonRecord } from './people.ts';
import { type RepairableRecord, warningOf, writeRepairing } from './repair.ts';
import type { Sales, SalesPipeline } from './sales.ts';
import { type EventWrite, failEvents, isOpen, type SalesforceSession, warnEvents } from './session.ts';
import { isIn } from './soql.ts';
import { isStaleOnce } from './stale.ts';

/**
 * Opportunities of contacts: the one that an outcome asks for, and the open one that a task stands on.
 *
 * A contact gets one opportunity per pipeline: none when it has an open one there, or had one of this service, which its key tells. Salesforce
 * makes the contact role together with the opportunity (`ContactId`), so neither is ever there alone.
 */

interface WantedDeal {
  event: EventWrite;
  contact: PersonRecord;
  pipeline: SalesPipeline;
  key: string;
  record: RepairableRecord;
}

/** The open opportunities of each contact, by record type; null stands for an org without record types. */
type OpenDeals = Map<string, Map<string, string | null>>;

const PART = 'the opportunity';
const NAME_MAX = 120;
/** Salesforce requires the day on which an opportunity is to close. */
const CLOSES_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Makes the opportunities that the events ask for. A refusal is a warning.
 *
 * @returns the only open opportunity of the contact of an event whose plan puts tasks on it; null without one, and when there are several
 * @throws CrmFailure for every failure that is no refusal
 */
export async function writeDeals(
  session: SalesforceSession,
  events: readonly EventWrite[],
  owners: Owners,
  recordOf: (event: EventWrite) => PersonRecord | null,
): Promise<(event: EventWrite) => string | null> {
  const ofContacts = events.filter((event) => isOpen(event) && recordOf(event)?.type === 'Contact');
  for (const event of events)
    if (isOpen(event) && hasDeals(event) && recordOf(event)?.type === 'Lead') warnEvents([event], NO_DEAL_OF_LEAD);
  const asking = ofContacts.filter(hasDeals);
  const placed = ofContacts.filter(({ write: { plan } }) => plan.associations.deal && plan.writes.timeline);
  const contacts = [...new Set([...asking, ...placed].flatMap(({ personId }) => personId ?? []))];
  if (contacts.length === 0) return () => null;
  try {
    const sales = asking.length === 0 ? null : await session.readSales();
    const wanted = asking.flatMap((event) => toWanted(event, recordOf(event), { sales, owners }));
    const { open, keys } = await findDeals(session, contacts, wanted, sales);
    await createDeals(session, wanted, open, keys);
    return ({ personId, write: { plan } }) => {
      const deals = plan.associations.deal ? [...(open.get(personId ?? '')?.keys() ?? [])] : [];
      return deals.length === 1 ? (deals[0] ?? null) : null;
    };
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    warnEvents([...new Set([...asking, ...placed])], error.error);
    return () => null;
  }
}

const NO_DEAL_OF_LEAD = {
  code: 'lead_has_no_opportunity',
  message:
    'Salesforce has no opportunities of leads. The policy makes one as soon as the lead is converted to a contact.',
  httpStatus: null,
};

function hasDeals({ write: { plan } }: EventWrite): boolean {
  return plan.outcomes !== null && plan.outcomes.deals.length > 0;
}

function toWanted(
  event: EventWrite,
  contact: PersonRecord | null,
  { sales, owners }: { sales: Sales | null; owners: Owners },
): WantedDeal[] {
  const deals = event.write.plan.outcomes?.deals ?? [];
  return deals.flatMap((deal): WantedDeal[] => {
    const place = contact === null ? null : findPlace(event, deal, sales);
    if (place === null || contact === null) return [];
    const { pipeline, stage } = place;
    const key = `${contact.id}:${pipeline.value}`;
    const ownerId = ownerOf(event, owners) ?? contact.ownerId;
    const values: Fields = {
      Name: truncateText(dealNameOf(deal, event.write.event), NAME_MAX),
      StageName: stage,
      CloseDate: new Date(event.at.getTime() + CLOSES_AFTER_MS).toISOString().slice(0, 10),
      ContactId: contact.id,
      [DEAL_KEY_FIELD]: key,
      ...(contact.accountId === null ? {} : { AccountId: contact.accountId }),
      ...(pipeline.recordTypeId === null ? {} : { RecordTypeId: pipeline.recordTypeId }),
      ...(ownerId === null ? {} : { OwnerId: ownerId }),
    };
    const required = ['Name', 'StageName', 'CloseDate', 'ContactId', 'RecordTypeId', DEAL_KEY_FIELD];
    return [{ event, contact, pipeline, key, record: { type: 'Opportunity', values, required } }];
  });
}

/** Returns pipeline and stage of a deal; null with a warning when the org does not have them. */
function findPlace(
  event: EventWrite,
  { pipeline: wanted, stage: name }: PlannedDeal,
  sales: Sales | null,
): { pipeline: SalesPipeline; stage: string } | null {
  const warn = (code: string, message: string): null => {
    warnEvents([event], { code, message, httpStatus: null });
    return null;
  };
  if (sales === null) return warn('forbidden', 'The user of the connection does not see opportunities of Salesforce');
  const keyField = sales.fields.get(DEAL_KEY_FIELD);
  if (keyField?.isCreateable !== true || !keyField.isFilterable)
    return warn(
      'not_prepared',
      `No opportunity was made: without the field ${DEAL_KEY_FIELD} a repetition would make another one. Make it with "svc-server connections prepare ID".`,
    );
  const chosen = wanted === null ? sales.pipelines[0]?.value : findOption(sales.pipelines, wanted);
  const pipeline = sales.pipelines.find(({ value }) => value === chosen);
  if (pipeline === undefined)
    return warn(
      'unknown_pipeline',
      `Salesforce has no record type of opportunities "${wanted}" for the user of the connection`,
    );
  const stage = findOption(pipeline.stages, name);
  return stage === null
    ? warn('unknown_stage', `Salesforce has no stage of opportunities "${name}" in "${pipeline.label}"`)
    : { pipeline, stage };
}

async function findDeals(
  { client }: SalesforceSession,
  contacts: readonly string[],
  wanted: readonly WantedDeal[],
  sales: Sales | null,
): Promise<{ open: OpenDeals; keys: ReadonlySet<string> }> {
  const hasTypes = sales?.fields.has('RecordTypeId') === true;
  const columns = ['ContactId', 'OpportunityId', ...(hasTypes ? ['Opportunity.RecordTypeId'] : [])].join(', ');
  const ofContacts = `${isIn('ContactId', contacts)} AND Opportunity.IsClosed = false`;
  const part = `the search for ${PART}`;
  const keys = [...new Set(wanted.map(({ key }) => key))];
  const [roles = [], known = []] = await client.query([
    { soql: `SELECT ${columns} FROM OpportunityContactRole WHERE ${ofContacts} ORDER BY CreatedDate, Id`, part },
    ...(keys.length === 0
      ? []
      : [{ soql: `SELECT ${DEAL_KEY_FIELD} FROM Opportunity WHERE ${isIn(DEAL_KEY_FIELD, keys)}`, part }]),
  ]);
  const open: OpenDeals = new Map();
  for (const role of roles) {
    const [contact, id] = [asText(role['ContactId']), asText(role['OpportunityId'])];
    const recordTypeId = asText(asObject(role['Opportunity'])['RecordTypeId']);
    if (contact !== null && id !== null) addOpen(open, contact, id, recordTypeId);
  }
  return { open, keys: new Set(known.flatMap((row) => asText(row[DEAL_KEY_FIELD]) ?? [])) };
}

function addOpen(open: OpenDeals, contact: string, id: string, recordTypeId: string | null): void {
  const deals = open.get(contact) ?? new Map<string, string | null>();
  open.set(contact, deals.set(id, recordTypeId));
}

async function createDeals(
  session: SalesforceSession,
  wanted: readonly WantedDeal[],
  open: OpenDeals,
  keys: ReadonlySet<string>,
): Promise<void> {
  const byKey = new Map<string, WantedDeal>();
  for (const deal of wanted) {
    const { contact, pipeline, key } = deal;
    const isOpenThere = [...(open.get(contact.id)?.values() ?? [])].includes(pipeline.recordTypeId);
    if (!isOpenThere && !keys.has(key) && !byKey.has(key)) byKey.set(key, deal);
  }
  const missing = [...byKey.values()];
  const results = await writeRepairing(
    session.client,
    missing.map(({ record }) => record),
    { operation: 'deals_create', part: PART },
  );
  for (const [index, { event, contact, pipeline }] of missing.entries()) {
    const repaired = results[index];
    if (repaired === undefined) continue;
    const { result, left } = repaired;
    if (result.isWritten) {
      addOpen(open, contact.id, result.id, pipeline.recordTypeId);
      const warning = warningOf(left);
      if (warning !== null) warnEvents([event], warning);
    } else if (!result.failure.isRefusal || isStaleOnce(result.failure, event)) failEvents([event], result.failure);
    // DUPLICATE_VALUE: another process has made the opportunity since the search, so there is nothing to warn about.
    else if (result.problem.code !== 'DUPLICATE_VALUE') warnEvents([event], result.failure.error);
  }
}
