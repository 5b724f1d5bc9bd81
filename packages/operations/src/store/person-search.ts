/**
 * Looks for a person in stored texts: a condition of SQL that leaves out nearly all rows that do not name the person, and
 * the decision, on what the texts stand for.
 */
import { setImmediate } from 'node:timers/promises';
import type { ContactIdentity } from '@svc/domain/contacts/contact-identity';
import { ERASED } from '@svc/engine/store/erased';
import { Reading, readingsOf } from './encoded-text.ts';
import { createMentionFinder, type Span } from './person-mentions.ts';

export interface PersonSearch {
  /** For `like`, in lower case: each text that names the person and has no `ESCAPED_LETTER` matches one of them. */
  readonly hints: readonly string[];
  mentions(text: string): Promise<boolean>;
  /** Replaces what names the person, and leaves every other character of the stored text as it is. */
  scrub(text: string): Promise<string>;
}

const letterOrDigit = '(3[0-9]|[46][1-9a-f]|[57][0-9a])';
const inDecimal = '(4[89]|5[0-7]|6[5-9]|[78][0-9]|90|9[7-9]|1[01][0-9]|12[0-2]|3[578]|59|92|8490)';
/**
 * A regular expression of PostgreSQL and JavaScript: something that may stand for a letter or digit of ASCII, in a text in
 * lower case. It is rare, because nobody needs to escape those. `%`, `&`, `\`, `#` and `;` begin or end what stands for one. The
 * Kelvin sign is the only other character whose lower case is a letter of ASCII.
 */
export const ESCAPED_LETTER = [
  String.raw`\\u(00(${letterOrDigit}|2[356]|3b|5c)|212a)`,
  `%(25|26|23|3b|5c|${letterOrDigit})|%e2%84%aa`,
  `&(amp;)*#(x0*(${letterOrDigit}|2[356]|3b|5c|212a)|0*${inDecimal});`,
  // As it is, and in what PostgreSQL makes of bytes.
  String.raw`\u212a|\\342\\204\\252`,
].join('|');

const escapedLetter = new RegExp(ESCAPED_LETTER);

export function createPersonSearch(identity: ContactIdentity): PersonSearch {
  const findMentions = createMentionFinder(identity);
  const hints = hintsOf(identity);
  const parts = hints.map((hint) => hint.split('%').filter((part) => part !== ''));
  const canMention = (text: string) => {
    const lower = text.toLowerCase();
    return parts.some((of) => hasInOrder(lower, of)) || escapedLetter.test(lower);
  };

  async function* find(text: string): AsyncGenerator<Span> {
    if (!canMention(text)) return;
    let work = 0;
    for (const reading of readingsOf(new Reading(text))) {
      for (const window of windowsOf(reading.text)) {
        work += window.end - window.begin;
        if (work > UNITS_OF_TURN) {
          // Other work of this process has its turn.
          await setImmediate();
          work = 0;
        }
        for (const { begin, end } of findMentions(reading.text.slice(window.begin, window.end))) {
          if (begin < window.overlap) continue;
          yield { begin: reading.placeOf(window.begin + begin), end: reading.placeOf(window.begin + end) };
        }
      }
    }
  }

  return {
    hints,
    async mentions(text) {
      for await (const _span of find(text)) return true;
      return false;
    },
    async scrub(text) {
      const spans: Span[] = [];
      for await (const span of find(text)) spans.push(span);
      return withoutSpans(text, spans);
    },
  };
}

/** Units of text that are read in one turn of the event loop. */
const UNITS_OF_TURN = 65_536;
/** Longer than an address or URL with the text around it. */
const OVERLAP = 4_096;

/** Cuts a long text into parts that overlap, so that each address is in one of them with what is in front of and behind it. */
function* windowsOf(text: string): Generator<Span & { overlap: number }> {
  for (let begin = 0; begin === 0 || begin + 2 * OVERLAP < text.length; begin += UNITS_OF_TURN - 2 * OVERLAP) {
    const overlap = begin === 0 ? 0 : OVERLAP;
    yield { begin, end: Math.min(text.length, begin + UNITS_OF_TURN), overlap };
  }
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let result = '';
  let copied = 0;
  for (const { begin, end } of spans.toSorted((a, b) => a.begin - b.begin)) {
    if (begin >= copied) result += text.slice(copied, begin) + ERASED;
    copied = Math.max(copied, end);
  }
  return result + text.slice(copied);
}

/** The letters and digits of ASCII of each address and URL, in their order: no spelling changes them, unless it escapes them. */
function hintsOf({ email, profiles }: ContactIdentity): string[] {
  const texts = profiles.map(({ kind, handle }) => `com/${kind === 'user' ? '' : `${kind}/`}${handle}`);
  if (email !== null) texts.push(email);
  // A letter with a mark may be one character.
  return texts.map(
    (text) => `%${text.match(/[a-z0-9]+(?!\p{M}|[a-z0-9])|[a-z0-9]+(?=[a-z0-9]\p{M})/gu)?.join('%') ?? ''}%`,
  );
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
