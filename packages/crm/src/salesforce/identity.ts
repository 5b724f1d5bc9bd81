import { createHash } from 'node:crypto';
import type { InboundEvent } from '@svc/sequencers';
import type { EventWrite } from './session.ts';

/** Who an event is about, and which events of a batch can be written together. */

export interface Identity {
  /** `email:kim@example.org`, or `url:https://...` when no address is known. */
  key: string;
  email: string | null;
  profileUrl: string | null;
}

export function toIdentity({ contact, toEmail }: InboundEvent): Identity {
  const email = (contact.email ?? (toEmail.includes('@') ? toEmail : null))?.toLowerCase() ?? null;
  const profileUrl = contact.profileUrl ?? (email === null ? toEmail : null);
  return { key: email === null ? toUrlKey(profileUrl ?? toEmail) : `email:${email}`, email, profileUrl };
}

function toUrlKey(url: string): string {
  return `url:${url}`;
}

/** Longest value of the field for keys. */
const KEY_MAX_LENGTH = 80;

/**
 * Returns the text that a task is recognized by. Kept readable if possible; hashed when it is too long for the field, or
 * when Salesforce, which ignores case in unique values, could confuse two keys.
 */
export function toTaskKey(idempotencyKey: string): string {
  const isReadable = /^[a-z0-9][a-z0-9_:./-]*$/.test(idempotencyKey) && idempotencyKey.length <= KEY_MAX_LENGTH - 10;
  return isReadable ? idempotencyKey : createHash('sha256').update(idempotencyKey).digest('hex');
}

/**
 * Takes the events that can be written together; the others follow in a later round. Two contacts that claim one profile
 * URL cannot be written together, because the second one must see what the first has become; neither can two events with
 * one key.
 */
export function takeRound(events: readonly EventWrite[]): { round: EventWrite[]; rest: EventWrite[] } {
  const personByClaim = new Map<string, string>();
  const waiting = new Set<string>();
  const round: EventWrite[] = [];
  const rest: EventWrite[] = [];
  for (const event of events) {
    const { key: person, profileUrl } = toIdentity(event.write.event);
    const claims = profileUrl === null ? [person] : [person, toUrlKey(profileUrl)];
    const eventClaim = `event:${event.key}`;
    const isTaken = claims.some((claim) => waiting.has(claim) || (personByClaim.get(claim) ?? person) !== person);
    const mustWait = isTaken || personByClaim.has(eventClaim);
    for (const claim of [...claims, eventClaim]) {
      if (mustWait) waiting.add(claim);
      else personByClaim.set(claim, person);
    }
    (mustWait ? rest : round).push(event);
  }
  return { round, rest };
}
