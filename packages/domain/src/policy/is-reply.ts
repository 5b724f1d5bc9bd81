import { SEQUENCER_EVENT_TYPES, type TouchFlags } from '@svc/contract/vocabulary';

const FLAGS: ReadonlyMap<string, TouchFlags> = new Map(Object.entries(SEQUENCER_EVENT_TYPES));

/** Returns whether the contact answered. */
export function isReply(eventType: string): boolean {
  return FLAGS.get(eventType)?.replied === true;
}
