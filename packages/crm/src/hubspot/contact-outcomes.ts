import { findOption } from '../events/field-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmOption } from '../port/setup.ts';
import type { CrmError } from '../port/types.ts';
import { type BatchContact, type EventWrite, failOptionalPart, type PlannedValue } from './event-write.ts';
import { LEAD_STATUS, LIFECYCLE_STAGE, toHash } from './planned-values.ts';
import { definitionsFor } from './property-definitions.ts';
import type { HubspotSession } from './session.ts';

/**
 * Lead status and lifecycle stage of a contact, as the outcomes of its events say. The last status of the batch is written. The stage goes
 * forward only, in the order in which the account has its stages: so the furthest one is written, and a contact whose stage is later, or
 * none of the account's, keeps it. When HubSpot refuses a value, the next best one takes its place.
 */

export interface OutcomeValue extends PlannedValue {
  event: EventWrite;
  /** The value of a property with the highest rank is written. */
  rank: number;
}

/** Returns what the outcomes of a contact change in it, the best value of a property first. What cannot be written is a warning of its event. */
export async function readOutcomeValues(
  session: HubspotSession,
  contact: BatchContact,
  mode: 'warn' | 'quietly' = 'warn',
): Promise<OutcomeValue[]> {
  const events = contact.events.filter(hasStatusOrStage);
  const found: OutcomeValue[] = [];
  for (const event of events) {
    const { outcomes } = event.write.plan;
    try {
      const definitions = await definitionsFor(session, []);
      for (const [property, wanted] of [
        [LEAD_STATUS, outcomes?.leadStatus ?? null],
        [LIFECYCLE_STAGE, outcomes?.lifecycleStage ?? null],
      ] as const) {
        if (wanted === null) continue;
        const options = definitions.get(property)?.options ?? [];
        const value = findOption(options, wanted);
        if (value === null) {
          if (mode === 'warn') event.warnings.push(unknownOption(property));
        } else if (property === LEAD_STATUS || isFurther(contact, options, value)) {
          const rank = property === LEAD_STATUS ? found.length : placeOf(options, value);
          found.push({ property, value, event, rank, kind: 'outcome', hash: toHash(property, value), problem: null });
        }
      }
    } catch (error) {
      if (!(error instanceof CrmFailure)) throw error;
      failOptionalPart(event, error);
    }
  }
  const best = found.toSorted((a, b) => b.rank - a.rank);
  const isThere = (name: string) => contact.filled.get(name) === best.find(({ property }) => property === name)?.hash;
  return best.filter(({ property }) => !isThere(property));
}

function placeOf(options: readonly CrmOption[], value: string): number {
  return options.findIndex((option) => option.value === value);
}

function hasStatusOrStage({ write, failure }: EventWrite): boolean {
  const { outcomes } = write.plan;
  return failure === null && outcomes !== null && (outcomes.leadStatus !== null || outcomes.lifecycleStage !== null);
}

/** Whether a stage is behind the one that the contact has. */
function isFurther({ filled }: BatchContact, options: readonly CrmOption[], value: string): boolean {
  if (!filled.has(LIFECYCLE_STAGE)) return true;
  const hash = filled.get(LIFECYCLE_STAGE);
  const current = options.findIndex((option) => toHash(LIFECYCLE_STAGE, option.value) === hash);
  return current >= 0 && current < placeOf(options, value);
}

function unknownOption(property: string): CrmError {
  const what = property === LEAD_STATUS ? 'lead status' : 'lifecycle stage';
  return {
    code: `no_such_${what.replace(' ', '_')}`,
    message: `HubSpot has no ${what} of this name`,
    httpStatus: null,
  };
}
