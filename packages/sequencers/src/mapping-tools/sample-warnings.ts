/** What looks wrong in the events of several samples, although each of them can be read. */
import type { InboundEvent, NormalizeResult } from '../events/types.ts';

export interface ReadSample {
  /** What messages call it, such as `receipt 5012`. */
  readonly name: string;
  readonly bodyHash: string;
  readonly result: NormalizeResult;
}

/** Returns sentences for a person; they name samples and event types, and no values of a payload. */
export function warnOfSamples(samples: readonly ReadSample[]): string[] {
  return [...new Set(warnOfSharedKeys(samples))];
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
