import type { OutcomePlan } from '@svc/domain/policy/outcomes';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmStatement } from '../port/setup.ts';
import type { CrmWrite } from '../port/types.ts';

/** What the self-tests of all connectors share: events of a throw-away person, and how statements are tried. */

/** A statement that nobody has verified, as in `docs/crm/*.md`. */
export interface StatementCheck<World> {
  id: string;
  /** The statement, as a sentence. */
  title: string;
  /** Returns what the CRM did instead; null when the statement holds. @throws NotTested @throws CrmFailure */
  check: (world: World) => Promise<string | null>;
}

/** Why a statement was not tried. */
export class NotTested extends Error {
  override readonly name = 'NotTested';
}

/** Returns the check of a statement that a test cannot try. */
export function untestable(why: string): () => Promise<null> {
  return () => Promise.reject(new NotTested(why));
}

/** Tries statements one after the other. Never rejects. A call that the CRM refuses is a difference, one without an answer is not. */
export async function* tryStatements<World>(
  statements: readonly StatementCheck<World>[],
  makeWorld: () => Promise<World>,
): AsyncGenerator<CrmStatement> {
  const making = makeWorld().catch((error: unknown) => {
    throw new NotTested(toResult(error).detail ?? 'nothing could be written');
  });
  for (const { id, title, check } of statements) {
    const statement = await making.then(check).then(
      (detail): Omit<CrmStatement, 'id' | 'title'> => ({ result: detail === null ? 'holds' : 'differs', detail }),
      (error: unknown) => toResult(error),
    );
    yield { id, title, ...statement };
  }
}

function toResult(error: unknown): Omit<CrmStatement, 'id' | 'title'> {
  if (error instanceof NotTested) return { result: 'not tested', detail: error.message };
  if (error instanceof CrmFailure) return { result: error.isRefusal ? 'differs' : 'not tested', detail: error.message };
  const kind = error instanceof Error ? error.name : typeof error;
  return { result: 'not tested', detail: `the test itself failed (${kind})` };
}

/** The address of the throw-away person of a test. */
export function selfTestEmail(randomId: string): string {
  return `svc-selftest-${randomId}@selftest.example.com`;
}

/** Returns the write of an event of the throw-away person, who is created if necessary. */
export function selfTestWrite(
  randomId: string,
  key: string,
  changes: Partial<Omit<InboundEvent, 'contact'>> & { occurredAt: Date; contact?: Partial<InboundEvent['contact']> },
  more: {
    writes?: Partial<CrmWrite['plan']['writes']>;
    outcomes?: OutcomePlan;
    lastValues?: CrmWrite['lastValues'];
  } = {},
): CrmWrite {
  const email = selfTestEmail(randomId);
  const contact = { ...BLANK_CONTACT, email, firstName: 'Selftest', lastName: randomId, ...changes.contact };
  return {
    plan: {
      writes: { timeline: true, fields: true, task: false, ...more.writes },
      mayCreate: true,
      company: false,
      stateFields: false,
      salesforceObjectType: null,
      owner: null,
      associations: { company: false, deal: false },
      lastValues: null,
      outcomes: more.outcomes ?? null,
    },
    fields: [],
    lastValues: more.lastValues ?? null,
    event: {
      ...{ fromEmail: null, replySender: null, campaign: { id: null, name: null }, bodyHtml: null, bodyText: null },
      ...{ messageId: null, answeredMessageId: null, category: null, linkUrls: [], sequenceNumber: null },
      ...{ eventType: 'EMAIL_SENT', subject: 'Self-test', ...changes, eventKey: key, toEmail: email, contact },
    },
    idempotencyKey: `selftest:${randomId}:${key}`,
    receivedAt: changes.occurredAt,
    isRepeated: false,
  };
}
