import { OWNER, toDetails } from './contact-details.ts';
import { readOutcomeValues } from './contact-outcomes.ts';
import { type BatchContact, type EventWrite, fills, type PlannedValue } from './event-write.ts';
import { listContactOwners } from './owners.ts';
import { readLastValues, readPlannedValues } from './planned-values.ts';
import type { HubspotSession } from './session.ts';

/** The values that the events of a contact have for its properties, in the order in which they are tried. */

/** A value for a property, and the event that brought it. */
export interface Candidate {
  value: string;
  event: EventWrite;
  /** Whether the value replaces another one. `new`: only a contact that is created gets it. */
  kind: PlannedValue['kind'];
  /** Remembered with the property when it is written. */
  hash: string | null;
}

/** By property; each has at least one. */
export type Candidates = Map<string, Candidate[]>;

export async function listCandidates(session: HubspotSession, contact: BatchContact): Promise<Candidates> {
  const candidates = new Map<string, Candidate[]>();
  for (const event of contact.events) {
    if (event.failure !== null || !fills(event, contact)) continue;
    for (const planned of await readPlannedValues(session, event)) addPlanned(candidates, { contact, event, planned });
    if (event.failure !== null) continue;
    for (const [name, value] of Object.entries(toDetails(event))) {
      if (!contact.filled.has(name)) add(candidates, name, { value, event, kind: 'fill', hash: null });
    }
  }
  for (const [name, hash] of contact.filled) omitKnown(candidates, name, hash);
  const last = contact.events.findLast(hasLastValues);
  if (last !== undefined) {
    for (const planned of await readLastValues(session, last)) {
      candidates.set(planned.property, [{ ...planned, event: last }]);
    }
  }
  await setOutcomes(session, contact, candidates);
  const owners = await listOwnerCandidates(session, contact);
  if (owners.length > 0) candidates.set(OWNER, owners);
  return candidates;
}

/** Puts what the outcomes say now in the place of what they said before. */
export async function setOutcomes(
  session: HubspotSession,
  contact: BatchContact,
  candidates: Candidates,
): Promise<void> {
  keepOnly(candidates, ({ kind }) => kind !== 'outcome');
  const byProperty = Map.groupBy(await readOutcomeValues(session, contact), ({ property }) => property);
  for (const [property, values] of byProperty) candidates.set(property, values);
}

function hasLastValues({ write, failure }: EventWrite): boolean {
  return failure === null && write.lastValues !== null && write.plan.writes.fields;
}

export async function listOwnerCandidates(session: HubspotSession, contact: BatchContact): Promise<Candidate[]> {
  const owners = await listContactOwners(session, contact);
  return owners.map((owner) => ({ ...owner, kind: 'overwrite', hash: null }));
}

/** A value that replaces others comes before those that do not, and before those of earlier events. */
function add(candidates: Candidates, name: string, candidate: Candidate): void {
  const values = candidates.get(name) ?? [];
  candidates.set(name, candidate.kind === 'overwrite' ? [candidate, ...values] : [...values, candidate]);
}

function addPlanned(
  candidates: Candidates,
  { contact, event, planned }: { contact: BatchContact; event: EventWrite; planned: PlannedValue },
): void {
  const { property, value, kind, hash, problem } = planned;
  if (kind === 'new' && event !== contact.creator) return;
  if (kind !== 'overwrite' && (contact.filled.has(property) || (problem !== null && candidates.has(property)))) return;
  if (problem === null) add(candidates, property, { value, event, kind, hash });
  else event.warnings.push(problem);
}

/** Removes the candidates that do not change a property that has a value. */
export function omitKnown(candidates: Candidates, name: string, hash: string | null): void {
  const values = candidates.get(name)?.filter(({ kind }) => kind === 'overwrite') ?? [];
  if (values.length === 0 || (hash !== null && values[0]?.hash === hash)) candidates.delete(name);
  else candidates.set(name, values);
}

/** Removes the candidates for which the condition does not hold. */
export function keepOnly(candidates: Candidates, isKept: (candidate: Candidate) => boolean): void {
  for (const [name, values] of candidates) {
    const kept = values.filter(isKept);
    if (kept.length > 0) candidates.set(name, kept);
    else candidates.delete(name);
  }
}
