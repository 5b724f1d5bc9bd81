import { CrmFailure } from '../http/http-failure.ts';
import { companyKeys } from './companies.ts';
import { readOpenDeals } from './deals.ts';
import { type EventWrite, failOptionalPart } from './event-write.ts';
import { associateRecords } from './records.ts';
import type { HubspotSession } from './session.ts';

/**
 * Associates the engagements of a batch with more than the contact, where plans say so: with the contact's company, and with its open deal
 * when there is exactly one. Runs behind companies and deals, so those that the batch makes count.
 */
export async function associateOthers(session: HubspotSession, events: readonly EventWrite[]): Promise<void> {
  const written = events.filter(({ engagementId }) => engagementId !== null);
  const ofCompany = written.filter(({ write }) => write.plan.associations.company);
  const ofDeal = written.filter(({ write }) => write.plan.associations.deal);
  const deals = await findOnlyDeals(session, ofDeal);
  await Promise.all([
    associate(session, 'companies', ofCompany, ({ contact }) => contact?.companyId ?? null),
    associate(session, 'deals', ofDeal, ({ contact }) => deals.get(contact?.id ?? '') ?? null),
  ]);
}

/** Returns the open deal of each contact that has exactly one. */
async function findOnlyDeals(session: HubspotSession, events: readonly EventWrite[]): Promise<Map<string, string>> {
  const contactIds = [...new Set(events.flatMap(({ contact }) => contact?.id ?? []))];
  try {
    const deals = await readOpenDeals(session, contactIds);
    return new Map(
      [...deals].flatMap(([contactId, [deal, ...others]]) =>
        deal === undefined || others.length > 0 ? [] : [[contactId, deal.id] as const],
      ),
    );
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    for (const event of events) failOptionalPart(event, error);
    return new Map();
  }
}

async function associate(
  session: HubspotSession,
  to: 'companies' | 'deals',
  events: readonly EventWrite[],
  otherOf: (event: EventWrite) => string | null,
): Promise<void> {
  const byType = Map.groupBy(events, ({ engagement }) => engagement.objectType);
  await Promise.all(
    [...byType].map(async ([from, ofType]) => {
      const pairs = ofType.flatMap((event) => {
        const toId = otherOf(event);
        return event.engagementId === null || toId === null ? [] : [{ event, fromId: event.engagementId, toId }];
      });
      const part = `the association with the ${to === 'companies' ? 'company' : 'deal'}`;
      const answers = await associateRecords(session.client, { from, to, part }, pairs);
      for (const [index, { event }] of pairs.entries()) {
        const answer = answers[index];
        if (!(answer instanceof CrmFailure)) continue;
        failOptionalPart(event, answer);
        // The company may be gone: contact and company are looked for again.
        if (answer.error.httpStatus === 404 && event.contact !== null) {
          event.contact.isForgotten = true;
          await session.records.delete([...event.contact.keys, ...companyKeys(event)]);
        }
      }
    }),
  );
}
