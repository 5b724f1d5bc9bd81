/**
 * Identifies the contact of an outreach lookup (the query of `getContactOutreach`).
 *
 * 1. At least one identity is required: an email, profile URLs, or both. All of them belong to one contact.
 * 2. `email` may be sent once. It is one complete address: at most 64 characters before the `@`, a domain of at least two
 *    labels, at most 254 characters in all. It is compared, and answered, in lower case.
 * 3. `profileUrl` may be repeated, and each value may be a comma-separated list. At most five values are accepted, counted
 *    before duplicates are dropped. An empty value is an error. Each must be a profile URL (profile-url.ts).
 * 4. A bare domain is not an identity: this API does not look up companies.
 * 5. The email is compared with the stored recipients of every connection. The spellings of a profile URL are compared
 *    only on connections of the CRM types that store profile URLs as recipients (`PROFILE_URL_CRMS`).
 * 6. A category signal is stored under one key per contact (`identityKey`): the email or the canonical profile URL, in
 *    lower case. Rule 5 applies to signals too.
 */
import { LIMITS } from '@svc/contract/limits';
import { PROFILE_URL_CRMS } from '@svc/contract/vocabulary';
import { badRequest } from '../errors/errors.ts';
import { parseScalar, type RawParameter } from '../requests/parameters.ts';
import { canonicalProfileUrl, type ProfileUrl, parseProfileUrl, storedVariants } from './profile-url.ts';
import { quoteInput } from '../values/quote-input.ts';

export interface ContactIdentity {
  /** Lower-case; null when only profile URLs were sent. */
  readonly email: string | null;
  /** One per profile, in the order sent. */
  readonly profiles: readonly ProfileUrl[];
  /** The canonical URL of each of `profiles`. */
  readonly profileUrls: readonly string[];
}

/** Lower-case strings to compare with what is stored, also in lower case. */
export interface OutreachKeys {
  /** Recipients on every visible connection. */
  readonly emailKeys: string[];
  /** Recipients on visible connections of `PROFILE_URL_CRMS` only. */
  readonly profileKeys: string[];
  /** Identities of category signals (`identityKey`). */
  readonly categoryKeys: {
    /** On every visible connection. */
    readonly emails: string[];
    /** On visible connections of `PROFILE_URL_CRMS` only. */
    readonly profiles: string[];
  };
}

const EMAIL_MAX_LENGTH = 254;
const LOCAL_PART_MAX_LENGTH = 64;
/** Letters of any script; none of the characters that would need a quoted local part. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/** @throws ApiError 400 saying which value is wrong and what to send */
export function parseContactIdentity(query: { email: RawParameter; profileUrl: RawParameter }): ContactIdentity {
  const email = parseScalar('email', query.email);
  const texts = splitProfileUrls(query.profileUrl);
  if (email === undefined && texts.length === 0) {
    throw badRequest('Send an identity of the contact: email, profileUrl, or both');
  }
  const profiles = new Map(texts.map(parseProfileUrl).map((profile) => [profile.canonical, profile]));
  return {
    email: email === undefined ? null : parseEmail(email),
    profiles: [...profiles.values()],
    profileUrls: [...profiles.keys()],
  };
}

/** Returns the keys to look for in stored recipients and category signals. Empty lists match nothing. */
export function outreachKeys(identity: ContactIdentity): OutreachKeys {
  const emails = identity.email === null ? [] : [identity.email];
  return {
    emailKeys: emails,
    profileKeys: identity.profiles.flatMap(storedVariants),
    categoryKeys: { emails: emails.map(identityKey), profiles: identity.profileUrls.map(identityKey) },
  };
}

/** Whether a stored recipient on a connection of this CRM type is the contact (rule 5). */
export function isRecipient(keys: OutreachKeys, recipient: string, crm: string): boolean {
  const stored = recipient.toLowerCase();
  return keys.emailKeys.includes(stored) || (keepsProfileUrls(crm) && keys.profileKeys.includes(stored));
}

/** Whether a category signal stored under `identity` on a connection of this CRM type is the contact's (rule 6). */
export function isCategoryOf(keys: OutreachKeys, identity: string, crm: string): boolean {
  const { emails, profiles } = keys.categoryKeys;
  return emails.includes(identity) || (keepsProfileUrls(crm) && profiles.includes(identity));
}

function keepsProfileUrls(crm: string): boolean {
  return (PROFILE_URL_CRMS as readonly string[]).includes(crm);
}

/**
 * Returns the key under which the category signals of a contact are stored.
 *
 * @param contact an address as `parseEmail` returns it, or a canonical profile URL
 */
export function identityKey(contact: string): string {
  return contact.toLowerCase();
}

/** Whether a text is the key of a contact. A signal stored under anything else would never be found. */
export function isIdentityKey(text: string): boolean {
  try {
    return identityKey(text.includes('://') ? canonicalProfileUrl(text) : parseEmail(text)) === text;
  } catch {
    return false;
  }
}

/**
 * Parses one email address into the form in which it is compared: trimmed and in lower case.
 *
 * @throws ApiError 400 when it is not exactly one complete address
 */
export function parseEmail(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  const at = email.lastIndexOf('@');
  if (at < 0) throw badRequest(`email ${quoteInput(text)} is not an email address: it has no @`);
  if (/\s/.test(email)) {
    throw badRequest(`email ${quoteInput(text)} contains white space. In a query a plus sign is written %2B`);
  }
  const localPart = email.slice(0, at);
  const labels = email.slice(at + 1).split('.');
  const isComplete =
    email.length <= EMAIL_MAX_LENGTH &&
    localPart.length <= LOCAL_PART_MAX_LENGTH &&
    LOCAL_PART.test(localPart) &&
    labels.length >= 2 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    // The last label of a domain is never a number: that would be an IP address.
    !/^\d+$/.test(labels.at(-1) ?? '');
  if (!isComplete) throw badRequest(`email ${quoteInput(text)} is not one complete email address`);
  return email;
}

function splitProfileUrls(raw: RawParameter): string[] {
  if (raw === undefined) return [];
  const texts = (typeof raw === 'string' ? [raw] : raw).flatMap((value) => value.split(','));
  if (texts.length > LIMITS.profileUrlsMax) {
    throw badRequest(`At most ${LIMITS.profileUrlsMax} profileUrl values can be sent, not ${texts.length}`);
  }
  return texts;
}
