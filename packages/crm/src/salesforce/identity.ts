import { createHash } from 'node:crypto';
import type { InboundEvent } from '@svc/sequencers';
import { emailOf, profileUrlOf } from '@svc/domain/contacts/event-contact';
import type { EventWrite } from './session.ts';

/** Who an event is about, and which events of a batch can be written together. */

export interface Identity {
  /** `email:kim@example.org`, or `url:https://...` when no address is known. */
  key: string;
  email: string | null;
  profileUrl: string | null;
}

export function toIdentity(event: InboundEvent): Identity {
  const [email, profileUrl] = [emailOf(event), profileUrlOf(event)];
  return { key: email === null ? toUrlKey(profileUrl ?? event.toEmail) : toEmailKey(email), email, profileUrl };
}

export function toEmailKey(email: string): string {
  return `email:${email}`;
}

export function toUrlKey(url: string): string {
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
 * Takes the events that can be written together; the others follow in a later round. These cannot be written together:
 *
 * - Events of two contacts that claim one profile URL, because the second event must see what the first has become.
 * - Events of one person with two profile URLs, or an event without a URL and a later one with a URL: by the URL, the
 *   person might be found as somebody else.
 * - Two events with one key.
 */
export function takeRound(events: readonly EventWrite[]): { round: EventWrite[]; rest: EventWrite[] } {
  const personByClaim = new Map<string, string>();
  const urlByPerson = new Map<string, string | undefined>();
  const waiting = new Set<string>();
  const round: EventWrite[] = [];
  const rest: EventWrite[] = [];
  for (const event of events) {
    const claims = claimsOf(event);
    const [person = '', url] = claims;
    const eventClaim = `event:${event.key}`;
    const isTaken = claims.some((claim) => waiting.has(claim) || (personByClaim.get(claim) ?? person) !== person);
    const isOtherUrl = url !== undefined && urlByPerson.has(person) && urlByPerson.get(person) !== url;
    const mustWait = isTaken || isOtherUrl || personByClaim.has(eventClaim);
    if (!mustWait && !urlByPerson.has(person)) urlByPerson.set(person, url);
    for (const claim of [...claims, eventClaim]) {
      // This event may turn out to be of any person with one of its keys: the later events of these persons wait as
      // well.
      if (mustWait) waiting.add(claim).add(personByClaim.get(claim) ?? person);
      else personByClaim.set(claim, person);
    }
    (mustWait ? rest : round).push(event);
  }
  return { round, rest };
}

/** Returns the keys of an event's person. */
export function claimsOf({ write }: EventWrite): string[] {
  const { key, profileUrl } = toIdentity(write.event);
  return profileUrl === null ? [key] : [key, toUrlKey(profileUrl)];
}

/**
 * Fails the events that must wait because an earlier one of the same person has to be repeated; returns the others.
 */
export function withoutWaiting(events: readonly EventWrite[], earlier: readonly EventWrite[]): EventWrite[] {
  const failures = new Map<string, EventWrite['failure']>();
  const note = (event: EventWrite) => {
    const { failure } = event;
    if (failure !== null && !failure.isRefusal) for (const claim of claimsOf(event)) failures.set(claim, failure);
  };
  earlier.forEach(note);
  for (const event of events) {
    const claim = claimsOf(event).find((candidate) => failures.has(candidate));
    const failure = claim === undefined ? event.behind?.failure : failures.get(claim);
    if (failure?.isRefusal === false) event.failure ??= failure;
    // Events behind this one wait as well, if they have any of its keys.
    note(event);
  }
  return events.filter(({ failure }) => failure === null);
}
