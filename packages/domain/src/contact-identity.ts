/**
 * Who a contact look-up is about (specification, `GET /api/v1/contacts/outreach`: query, rules 1 to 4).
 *
 * 1. At least one identity: an email, profile URLs, or both. All are taken for one contact.
 * 2. `email` may be sent once. It is one complete address: something before the `@` (at most 64 characters), a domain of at
 *    least two labels behind it, 254 characters in all. It is compared, and answered, in lower case.
 * 3. `profileUrl` may be repeated, and each value may be a comma list. At most five in all, counted after splitting and
 *    before duplicates are dropped; an empty entry is a mistake. Each must be a profile URL (profile-url.ts).
 * 4. A bare domain is neither: the look-up by company is not part of this API.
 * 5. The email is compared with the stored recipient on every connection; the spellings of the profile URLs only on
 *    connections of the CRM types that store them there (`PROFILE_URL_CRMS`).
 */
import { LIMITS } from '@svc/contract/limits';
import { badRequest } from './errors.ts';
import { parseScalar, type RawParameter } from './parameters.ts';
import { type ProfileUrl, parseProfileUrl, storedVariants } from './profile-url.ts';
import { quoteInput } from './quote-input.ts';

export interface ContactIdentity {
  /** Lower-case; null when only profile URLs were sent. */
  readonly email: string | null;
  /** One per profile, in the order sent. */
  readonly profiles: readonly ProfileUrl[];
  /** The canonical URL of each of `profiles`. */
  readonly profileUrls: readonly string[];
}

/** Lower-case strings to compare with the lower-case stored recipient. */
export interface OutreachKeys {
  /** For every visible connection. */
  readonly emailKeys: string[];
  /** For visible connections of `PROFILE_URL_CRMS` only. */
  readonly profileKeys: string[];
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

/** What to look for in the stored recipients. Empty lists match nothing. */
export function outreachKeys(identity: ContactIdentity): OutreachKeys {
  return {
    emailKeys: identity.email === null ? [] : [identity.email],
    profileKeys: identity.profiles.flatMap(storedVariants),
  };
}

/**
 * One email address in the form in which it is compared: without white space around it, in lower case.
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
