/** Finds what looks wrong in the events of several samples, although each sample can be read. */
import type { InboundEvent, NormalizeResult } from '../events/types.ts';

export interface ReadSample {
  /** What messages call it, such as `request 5012`. */
  readonly name: string;
  readonly bodyHash: string;
  readonly result: NormalizeResult;
}

/** Returns sentences for a person; they name samples and event types, and no values of a payload. */
export function warnOfSamples(samples: readonly ReadSample[]): string[] {
  return [...new Set([...warnOfSharedKeys(samples), ...warnOfOwnAddresses(samples), ...warnOfNotices(samples)])];
}

function warnOfNotices(samples: readonly ReadSample[]): string[] {
  return samples.flatMap(({ result }) => (result.outcome === 'events' ? result.notices : []));
}

/** A rep who became the contact shares the domain of the sending mailbox; or is the mailbox of another event. */
function warnOfOwnAddresses(samples: readonly ReadSample[]): string[] {
  const events = samples.flatMap(eventsOf).filter(({ contact }) => contact.email !== null);
  const mailboxes = new Set(events.flatMap(({ fromEmail }) => fromEmail ?? []));
  const domains = new Set([...mailboxes].map(domainOf));
  const isOurs = (event: InboundEvent) => mailboxes.has(event.toEmail);
  if (events.some(isOurs)) {
    const types = [...new Set(events.filter(isOurs).map(({ eventType }) => eventType))].join(', ');
    return [
      `The lead of ${types} is the sending mailbox of another event: check email, and use "when" for events in which both change places.`,
    ];
  }
  return domains.size > 0 && events.every(({ toEmail }) => domains.has(domainOf(toEmail)))
    ? [
        'In all samples, the lead has the domain of the sending mailbox: check whether email and fromEmail have changed places.',
      ]
    : [];
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function warnOfSharedKeys(samples: readonly ReadSample[]): string[] {
  const firstWith = new Map<string, ReadSample>();
  return samples.flatMap((sample) =>
    eventsOf(sample).flatMap(({ eventKey, eventType }) => {
      const earlier = firstWith.get(eventKey);
      if (earlier === undefined) firstWith.set(eventKey, sample);
      return earlier === undefined || earlier.bodyHash === sample.bodyHash
        ? []
        : [
            `${earlier.name} and ${sample.name} differ, but their ${eventType} has the same key, so the later one counts as a repeat and is not written. When they are two events, correct eventKey, or leave it out.`,
          ];
    }),
  );
}

function eventsOf({ result }: ReadSample): readonly InboundEvent[] {
  return result.outcome === 'events' ? result.events : [];
}
