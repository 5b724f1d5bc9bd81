/**
 * Regular expressions (PostgreSQL's) that find a person's address or profile URL in stored text: as it is, and as JSON,
 * URLs, HTML and `encode(bytes, 'escape')` write it. Upper and lower case are the same.
 */
import { type ContactIdentity, outreachKeys } from '@svc/domain/contacts/contact-identity';

export interface PersonPatterns {
  /** Found somewhere in a text, but not as a part of a longer address: `ann@example.com` is not in `joann@example.com`. */
  within: string;
  /** For `like`, in lower case: each text that `within` matches has one of them. Cheaper to look for. */
  hints: string[];
}

export function personPatterns(identity: ContactIdentity): PersonPatterns {
  const { emailKeys, profileKeys } = outreachKeys(identity);
  const profiles = new Set(profileKeys.map((url) => url.replace(/^https?:\/\//, '').replace(/^www\.|\/$/g, '')));
  const within = [
    ...emailKeys.map((email) => `${BEFORE_EMAIL}${spelled(email)}${AFTER_EMAIL}`),
    ...Array.from(profiles, (profile) => `${BEFORE_PROFILE}${spelled(profile)}${AFTER_PROFILE}`),
  ];
  const localParts = emailKeys.map((email) => email.slice(0, email.lastIndexOf('@')));
  const names = Array.from(profiles, (profile) => profile.slice(profile.lastIndexOf('/')));
  return {
    within: `(?:${within.join('|')})`,
    hints: [...new Set([...localParts, ...names].map((text) => `%${longestPlainPart(text)}%`))],
  };
}

/** Code points below 128 that are in no address, in hexadecimal: `%2b` (a plus) before `ann` would make it another address. */
const NOT_IN_ADDRESS = '(?:[01][0-9a-f]|2[0-46-9acf]|3[a-f]|40|5[b-e]|60|7[b-f])';
/** Classes know only letters of ASCII where the database compares bytewise. Large ranges would take a second to compile. */
const NOT_ASCII = String.raw`[^\u0001-\u007f]`;
const WIDE_MARKS = String.raw`[\u00a0-\u00bf\u2000-\u206f\u3000-\u303f\U0001f300-\U0001faff]`;
/** Spaces, punctuation and emoji that are not ASCII, as JSON and as `encode(bytes, 'escape')` write them. */
const WIDE_PUNCTUATION = String.raw`\\u(?:00[ab]|20[0-6]|300|d[c-f][0-9a-f])[0-9a-f]|\\302\\2[0-7]{2}|\\342\\20[01]\\2[0-7]{2}|\\343\\200\\2[0-7]{2}|\\360(?:\\2[0-7]{2}){3}`;
/** The end of an escape sequence. Its last character may be a letter or digit, but it is none of the address behind it. */
const AFTER_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=\\[01][0-7]{2})|(?<=(?:%(?:25)*|\\u00)${NOT_IN_ADDRESS})|(?<=${WIDE_PUNCTUATION})`;
const before = (part: string) => `(?:(?<!${part}|${NOT_ASCII})|(?<=${WIDE_MARKS})|${AFTER_ESCAPE})`;
const after = (part: string) => `(?!${part})(?!(?!${WIDE_MARKS})${NOT_ASCII})`;
const BEFORE_EMAIL = before('[[:alnum:]._%+-]');
const AFTER_EMAIL = after('[[:alnum:]-]|[.][[:alnum:]]');
/** Scheme and subdomain belong to what is found. */
const BEFORE_PROFILE = String.raw`${before('[[:alnum:]_-]')}(?:https?(?::|%3a)(?:\\*/|%2f){2})?(?:[a-z0-9-]+[.])*`;
const AFTER_PROFILE = String.raw`(?:\\*/)?${after('[[:alnum:]_-]')}`;

function spelled(text: string): string {
  return Array.from(text, spelledCharacter).join('');
}

function spelledCharacter(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const bytes = [...Buffer.from(character, 'utf8')];
  const percent = bytes.map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const json = units.map((unit) => String.raw`\\+u${unit.toString(16).padStart(4, '0')}`).join('');
  const point = character.codePointAt(0) ?? 0;
  const html = `&#(?:0*${point}|x0*${point.toString(16)});`;
  const plain = character === '/' ? String.raw`\\*/` : escaped(character);
  const octal = bytes.map((byte) => String.raw`\\${byte.toString(8).padStart(3, '0')}`).join('');
  const forms = [plain, percent, json, html, ...(bytes.length > 1 ? [octal] : [])];
  return `(?:${forms.join('|')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** Every spelling keeps ASCII letters and digits. */
function longestPlainPart(text: string): string {
  return text.split(/[^a-z0-9]+/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}
