/** The last values of the people of a batch, counted before the CRM is called. */
import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';
import { isReply } from '@svc/domain/policy/is-reply';
import { type LastValues, stateOfEvent, type ValuedEvent, valuesOf } from '@svc/domain/policy/last-values';
import { toPlainText } from '@svc/domain/values/plain-text';
import type { InboundEvent } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { countLastValues } from '../store/last-values.ts';
import type { EventToWrite } from '../store/sync-attempts.ts';
import type { EventWrite } from './sync-results.ts';

/** Enough of a message for what is kept of it. */
const HTML_READ_MAX = 20_000;
/** How much a sequencer's clock may be ahead of ours. A later time would stand for ever. */
const AHEAD_MAX_MS = 24 * 60 * 60 * 1000;

/** Returns the values of each event whose plan names some. Asks the database for no other. @param writes of one connection */
export async function readLastValues(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  connectionId: number,
  writes: readonly EventWrite[],
): Promise<ReadonlyMap<EventWrite, LastValues>> {
  const asking = writes.flatMap((write) => {
    const { lastValues: names } = write.plan;
    return names === null ? [] : [{ write, names }];
  });
  if (asking.length === 0) return new Map();
  const events = asking.map(({ write: { target } }) => ({
    id: target.id,
    toEmail: target.event.toEmail,
    email: emailOf(target.event),
    profileUrl: profileUrlOf(target.event),
    state: stateOfEvent(toValuedEvent(target)),
  }));
  const states = await countLastValues(db, connectionId, events, clock.now());
  // Sources may name different values. Connectors write those of a person's last event, so each has all that the person's events name.
  const byPerson = Map.groupBy(asking, ({ write }) => states.get(write.target.id));
  return new Map(
    [...byPerson].flatMap(([state, ofPerson]) => {
      const values = state && valuesOf(state, [...new Set(ofPerson.flatMap(({ names }) => names))]);
      return values === undefined ? [] : ofPerson.map(({ write }) => [write, values] as const);
    }),
  );
}

export function toValuedEvent({
  event,
  platform,
  receivedAt,
  source,
}: Pick<EventToWrite, 'event' | 'platform' | 'receivedAt'> & { source: { id: number } }): ValuedEvent {
  const at = Math.min((event.occurredAt ?? receivedAt).getTime(), receivedAt.getTime() + AHEAD_MAX_MS);
  return {
    ...event,
    key: `${source.id}:${event.eventKey}`,
    at: new Date(at),
    sequencer: platform,
    text: textOf(event),
    leadUrl: event.contact.leadUrl,
  };
}

/** Only replies keep their text. */
function textOf({ eventType, bodyText, bodyHtml }: InboundEvent): string | null {
  if (!isReply(eventType)) return null;
  return bodyText ?? (bodyHtml === null ? null : toPlainText(bodyHtml.slice(0, HTML_READ_MAX)));
}
