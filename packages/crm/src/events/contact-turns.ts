import type { CrmFailure } from '../http/http-failure.ts';

/**
 * Writes events in turns, each with at most one event of a contact. A CRM may accept a part of one call: if a call had two events of a
 * contact, the later one could be written while the earlier one has to be repeated.
 *
 * When an event has to be repeated, the later ones of its contact are not sent, and fail as it does.
 *
 * @param write records in `failure` what became of an event; null when it is written
 */
export async function writeInContactTurns<Event extends { failure: CrmFailure | null }>(
  events: readonly Event[],
  contactOf: (event: Event) => unknown,
  write: (turn: readonly Event[]) => Promise<void>,
): Promise<void> {
  for (let open = events; open.length > 0; ) {
    const turn = new Map<unknown, Event>();
    for (const event of open) if (!turn.has(contactOf(event))) turn.set(contactOf(event), event);
    await write([...turn.values()]);
    open = open.filter((event) => {
      const first = turn.get(contactOf(event));
      if (event !== first && first?.failure?.isRefusal === false) event.failure = first.failure;
      return event !== first && event.failure === null;
    });
  }
}
