/**
 * Text of third parties (prospects, CRMs, sequencers, customers' servers) may contain orders for the model that reads it. It is
 * made visible, cut, and put between marks that it cannot contain.
 */

/** Length of one value; the text of an explanation may be longer. */
export const TEXT_MAX = 300;
export const LONG_TEXT_MAX = 2000;

const FIELDS_MAX = 40;
const DEPTH_MAX = 8;
const NAME_MAX = 60;

/** Control, format (zero width, bidi, tags), private and lone surrogate characters, and variation selectors. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** What `--no-payloads` keeps besides numbers, times and ids: fields whose values the service defines. */
const KEPT_FIELDS = new Set(
  'status outcome crm platform eventType eventTypes blockType type kind scopes part'.split(' '),
);
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
const PREFIXED_ID = /^os[a-z]{2,8}_[A-Za-z0-9]{1,40}$/;

export interface CleanOptions {
  /** Longest text of one value, in characters. */
  readonly textMax: number;
  /** Elements of an array that are kept. */
  readonly itemsMax: number;
  /** Replaces free text by its length. */
  readonly hidesText: boolean;
}

/** Makes text one visible line of at most `max` characters, which says how much was cut. */
export function cleanText(text: string, max: number = TEXT_MAX): string {
  // More than can be shown is not looked at: a value may have a megabyte.
  const visible = text
    .slice(0, max * 4)
    .replaceAll(/\r\n?|\n|\u2028|\u2029/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .replaceAll(HIDDEN, '')
    .replaceAll(/<(?=\s*\/?\s*untrusted)/gi, '‹');
  const characters = [...visible];
  const cut = text.length - Math.min(text.length, max * 4) + Math.max(0, characters.length - max);
  return cut === 0 ? visible : `${characters.slice(0, max).join('')}… (+${cut.toLocaleString('en-US')} characters)`;
}

/** Cleans all text in a value of the API. Names of fields are third-party text, too: those of a CRM's error, for example. */
export function cleanValue(value: unknown, options: CleanOptions, field = '', depth = 0): unknown {
  if (typeof value === 'string') {
    const isKept = KEPT_FIELDS.has(field) || TIME.test(value) || PREFIXED_ID.test(value);
    if (options.hidesText && !isKept) return `[omitted: ${value.length} characters]`;
    return cleanText(value, options.textMax);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEPTH_MAX) return '[omitted: nested too deep]';
  if (Array.isArray(value)) {
    const items = value.slice(0, options.itemsMax).map((item) => cleanValue(item, options, field, depth + 1));
    return value.length > items.length ? [...items, `[omitted: ${value.length - items.length} more]`] : items;
  }
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .slice(0, FIELDS_MAX);
  return Object.fromEntries(
    entries.map(([name, each]) => [cleanText(name, NAME_MAX), cleanValue(each, options, name, depth + 1)]),
  );
}

/**
 * Puts cleaned text between marks.
 *
 * @param mark 8 random characters, new for each answer
 */
export function fence(text: string, source: string, mark: string): string {
  return `<untrusted-${mark} source="${source}">\n${text}\n</untrusted-${mark}>`;
}
