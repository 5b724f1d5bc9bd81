import type { CrmWrite } from '../port/types.ts';
import { toEngagement, toReference, type WrittenKind } from './engagements.ts';
import type { PipedriveSession } from './session.ts';

/** What is remembered of the written parts of an event. */

/** The identity under which a written part of an event is remembered. Marks of this form are forgotten after 30 days. */
export function partIdentity(kind: WrittenKind, idempotencyKey: string): string {
  return `activity:${toReference(kind, idempotencyKey)}`;
}

/** Returns the id of the person to whom an earlier attempt wrote the event, or may have written it; null when none did. */
export function findWrittenPersonId({ records }: PipedriveSession, { event, idempotencyKey }: CrmWrite): number | null {
  const kinds: WrittenKind[] = [toEngagement(event).kind, 'todo'];
  const [id] = kinds.flatMap((kind) => records.ownerOf(partIdentity(kind, idempotencyKey)) ?? []);
  return id === undefined ? null : Number(id);
}
