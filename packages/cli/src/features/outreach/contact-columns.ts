/**
 * Finds the columns with email addresses and profile URLs. Names are compared without case, spaces and punctuation:
 * `E-Mail address` is `emailaddress`.
 */
import { PROFILE_URLS_MAX } from '@svc/contract/limits';
import { usageError } from '../../errors/cli-error.ts';
import type { LookUpKey } from './look-up-contacts.ts';

/** Common names by priority: `Email` is preferred to `Work email`. */
const EMAIL_NAMES = [
  ['email', 'mail'],
  ['emailaddress', 'mailaddress', 'emailid'],
  ['contactemail', 'personemail', 'leademail', 'prospectemail', 'recipientemail', 'toemail'],
  ['workemail', 'businessemail', 'primaryemail', 'workemailaddress'],
];

const PROFILE_URL_NAMES = new Set(
  [
    ...['linkedin', 'linkedinurl', 'linkedinprofile', 'linkedinprofileurl', 'linkedinlink', 'personlinkedinurl'],
    ...['contactlinkedinurl', 'contactlinkedinprofileurl', 'leadlinkedinurl', 'linkedin1'],
    ...['profile', 'profileurl', 'profileurls', 'socialprofileurl', 'socialurl', 'twitterurl', 'xurl', 'xprofileurl'],
  ].flat(),
);

/** Positions in the header. */
export interface ContactColumns {
  readonly email: number | null;
  readonly profileUrls: readonly number[];
}

export interface ChosenColumns {
  readonly emailColumn: string | undefined;
  readonly profileUrlColumns: readonly string[] | undefined;
}

/**
 * Returns the chosen columns, or the columns that have common names.
 *
 * @throws CliError (exit 2) that lists the columns
 */
export function findContactColumns(header: readonly string[], chosen: ChosenColumns): ContactColumns {
  const email = chosen.emailColumn === undefined ? findEmail(header) : findChosen(header, chosen.emailColumn);
  const profileUrls =
    chosen.profileUrlColumns?.map((name) => findChosen(header, name)) ??
    header.flatMap((name, index) => (PROFILE_URL_NAMES.has(plain(name)) && index !== email ? [index] : []));
  if (email === null && profileUrls.length === 0) {
    throw usageError(
      'No column is named like an email address or a profile URL',
      `Choose one with --email-column or --profile-url-column. ${listColumns(header)}`,
    );
  }
  return { email, profileUrls: [...new Set(profileUrls)] };
}

function findEmail(header: readonly string[]): number | null {
  const plainHeader = header.map(plain);
  for (const names of EMAIL_NAMES) {
    const found = plainHeader.flatMap((name, index) => (names.includes(name) ? [index] : []));
    const [only, ...others] = found;
    if (only === undefined) continue;
    if (others.length === 0) return only;
    throw usageError(
      `Several columns are named like an email address: ${found.map((index) => header[index]).join(', ')}`,
      `Choose one with --email-column, by its name or number. ${listColumns(header)}`,
    );
  }
  return null;
}

/** Finds a column by exact name, then by name without case, then by number, starting at 1. */
function findChosen(header: readonly string[], chosen: string): number {
  const wanted = chosen.trim().toLowerCase();
  const exact = positions(header, (name) => name === chosen);
  const found = exact.length > 0 ? exact : positions(header, (name) => name.trim().toLowerCase() === wanted);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw usageError(`Several columns are named ${chosen}`, `Choose one by its number. ${listColumns(header)}`);
  }
  const number = /^\d+$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= header.length) return number - 1;
  throw usageError(`There is no column ${chosen}`, listColumns(header));
}

function positions(header: readonly string[], fits: (name: string) => boolean): number[] {
  return header.flatMap((name, index) => (fits(name) ? [index] : []));
}

function listColumns(header: readonly string[]): string {
  return `Columns: ${header.map((name, index) => `${index + 1} ${name.trim() === '' ? '(no name)' : name}`).join(', ')}.`;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Limit for requests, longer than any valid address. */
const IDENTITY_MAX_LENGTH = 2048;

/** Returns the identity in a record, null if it has none, or the error message if it is invalid. */
export function readLookUpKey(cells: readonly string[], columns: ContactColumns): LookUpKey | string | null {
  const email = columns.email === null ? '' : (cells[columns.email] ?? '').trim();
  // A cell may contain several URLs.
  const urls = columns.profileUrls
    .flatMap((index) => (cells[index] ?? '').split(/[\s,;]+/))
    .filter((url) => url !== '');
  const profileUrls = [...new Set(urls)];
  if (email === '' && profileUrls.length === 0) return null;
  if (email !== '' && !email.includes('@')) return 'email is not an email address: it has no @';
  if (email.length > IDENTITY_MAX_LENGTH) return 'email is not an email address: it is too long';
  if (profileUrls.some((url) => url.length > IDENTITY_MAX_LENGTH)) return 'a profile URL is too long';
  if (profileUrls.length > PROFILE_URLS_MAX) {
    return `at most ${PROFILE_URLS_MAX} profile URLs can be looked up for a contact, not ${profileUrls.length}`;
  }
  return { email: email === '' ? null : email, profileUrls };
}
