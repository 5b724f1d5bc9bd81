/**
 * The ways in which a stored text can be read: as it is, and with what its JSON, HTML and URLs stand for. Each way knows
 * where its characters are in the stored text, so that a part can be replaced without touching the rest.
 *
 * - A string literal of JSON (in quotes, behind `{`, `[`, `,` or `:`, or at the beginning) is read only decoded: its
 *   characters without their meaning are nobody's. `"\nina@example.com"` names `ina@example.com`, not `nina@example.com`.
 * - Everything else is read as it is, and also without escapes, entities and percent-encoding.
 * - What is decoded is read in the same ways again: JSON may be a string of JSON, or a part of a URL.
 */

/** A text, and where each of its UTF-16 units begins in the stored text. */
export class Reading {
  readonly text: string;
  readonly #begin: number;
  /** Null when the text is a part of the stored text. */
  readonly #places: Int32Array | null;

  constructor(text: string, begin = 0, places: Int32Array | null = null) {
    this.text = text;
    this.#begin = begin;
    this.#places = places;
  }

  /** @param index up to the length of the text, which is where it ends */
  placeOf(index: number): number {
    return this.#places === null ? this.#begin + index : (this.#places[index] ?? 0);
  }

  part(begin: number, end: number): Reading {
    const text = this.text.slice(begin, end);
    if (this.#places === null) return new Reading(text, this.#begin + begin);
    return new Reading(text, 0, this.#places.subarray(begin, end + 1));
  }
}

/** JSON in JSON doubles its backslashes at each layer, and nobody encodes an address more often. */
const LAYERS_MAX = 16;

/** Yields every reading of a text. Each step takes time in proportion to the text. */
export function* readingsOf(whole: Reading, layers = LAYERS_MAX): Generator<Reading> {
  const { rest, literals } = splitLiterals(whole);
  yield rest;
  if (layers === 0) return;
  for (const literal of literals) yield* readingsOf(literal, layers - 1);
  const decoded = unescape(rest) ?? decodeEntities(rest) ?? decodePercent(rest);
  if (decoded !== null) yield* readingsOf(decoded, layers - 1);
}

/** Puts parts of a reading and decoded characters together. The result is never longer than the reading. */
class Builder {
  readonly #from: Reading;
  readonly #pieces: string[] = [];
  readonly #places: Int32Array;
  #length = 0;

  constructor(from: Reading) {
    this.#from = from;
    this.#places = new Int32Array(from.text.length + 1);
  }

  copy(begin: number, end: number): void {
    if (begin >= end) return;
    this.#pieces.push(this.#from.text.slice(begin, end));
    for (let index = begin; index < end; index += 1) this.#places[this.#length++] = this.#from.placeOf(index);
  }

  add(text: string, at: number): void {
    this.#pieces.push(text);
    for (let unit = 0; unit < text.length; unit += 1) this.#places[this.#length++] = this.#from.placeOf(at);
  }

  build(end: number): Reading {
    this.#places[this.#length] = this.#from.placeOf(end);
    return new Reading(this.#pieces.join(''), 0, this.#places.subarray(0, this.#length + 1));
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the decoded literals of JSON, and the text without what is between their quotes. */
function splitLiterals(reading: Reading): { rest: Reading; literals: Reading[] } {
  const { text } = reading;
  const literals: Reading[] = [];
  let rest: Builder | null = null;
  let copied = 0;
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const begin = quote + 1;
    const end = isBehindStructure(text, quote) ? endOfLiteral(text, begin) : null;
    if (end === null) {
      quote = text.indexOf('"', begin);
      continue;
    }
    const literal = reading.part(begin, end);
    literals.push(unescape(literal) ?? literal);
    rest ??= new Builder(reading);
    rest.copy(copied, begin);
    copied = end;
    quote = text.indexOf('"', end + 1);
  }
  if (rest === null) return { rest: reading, literals };
  rest.copy(copied, text.length);
  return { rest: rest.build(text.length), literals };
}

function isBehindStructure(text: string, quote: number): boolean {
  let index = quote - 1;
  while (index >= 0 && ' \t\r\n\ufeff'.includes(text[index] ?? '')) index -= 1;
  return index < 0 || '{[,:'.includes(text[index] ?? '');
}

/**
 * Returns where the closing quote is; null when this is no literal of JSON. A literal that the text cuts off ends with it.
 */
function endOfLiteral(text: string, begin: number): number | null {
  for (let index = begin; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) return index;
    if (unit < 0x20) return null;
    if (unit !== BACKSLASH) continue;
    const isCutOff = index + 6 > text.length && text.indexOf('"', index) < 0;
    const length = escapeLength(text, index);
    if (length === 0) return isCutOff ? text.length : null;
    index += length - 1;
  }
  return text.length;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

/** Returns the length of the escape of JSON at a backslash; 0 when there is none. */
function escapeLength(text: string, at: number): number {
  const name = text[at + 1] ?? '';
  if (name === 'u') return /^[0-9a-f]{4}$/i.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return SHORT_ESCAPES[name] === undefined ? 0 : 2;
}

/** Decodes the escapes of JSON; null when there are none. */
function unescape(reading: Reading): Reading | null {
  const { text } = reading;
  return replace(reading, '\\', (at) => {
    const length = escapeLength(text, at);
    if (length === 0) return null;
    const decoded =
      length === 6
        ? String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16))
        : (SHORT_ESCAPES[text[at + 1] ?? ''] ?? '');
    return { decoded, length };
  });
}

/** Names of characters around and in addresses and URLs. Letters and digits have no names. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', commat: '@', period: '.', sol: '/' },
  ...{ colon: ':', plus: '+', lowbar: '_', equals: '=', excl: '!', quest: '?', ast: '*' },
};
const ENTITY = /&(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|([a-z]{2,8}));/iy;

function decodeEntities(reading: Reading): Reading | null {
  return replace(reading, '&', (at) => {
    ENTITY.lastIndex = at;
    const found = ENTITY.exec(reading.text);
    if (found === null) return null;
    const [{ length }, decimal, hexadecimal, name] = found;
    if (name !== undefined) return toDecoded(ENTITIES[name.toLowerCase()], length);
    const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return toDecoded(point <= 0x10_ff_ff ? String.fromCodePoint(point) : undefined, length);
  });
}

/** A text that is a form as a whole, in which a plus is a space. Elsewhere a plus may be a part of an address. */
const FORM = /^[\w.[\]%+-]+=\S*$/;
const OF_FORM = /[%+]/g;

/** One percent-encoded character of UTF-8. */
const PERCENT =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/iy;

function decodePercent(reading: Reading): Reading | null {
  const { text } = reading;
  const isForm = FORM.test(text);
  return replace(reading, isForm ? OF_FORM : '%', (at) => {
    if (text[at] === '+') return { decoded: ' ', length: 1 };
    PERCENT.lastIndex = at;
    const encoded = PERCENT.exec(text)?.[0] ?? '%';
    try {
      return { decoded: decodeURIComponent(encoded), length: encoded.length };
    } catch {
      return null;
    }
  });
}

function toDecoded(decoded: string | undefined, length: number): { decoded: string; length: number } | null {
  return decoded === undefined ? null : { decoded, length };
}

/**
 * Decodes what begins with this mark.
 *
 * @param decode gets where a mark is; null: it stays as it is
 * @returns null when nothing was decoded
 */
function replace(
  reading: Reading,
  mark: string | RegExp,
  decode: (at: number) => { decoded: string; length: number } | null,
): Reading | null {
  const { text } = reading;
  let builder: Builder | null = null;
  let copied = 0;
  for (let at = indexOf(text, mark, 0); at >= 0; ) {
    const found = decode(at);
    if (found !== null) {
      builder ??= new Builder(reading);
      builder.copy(copied, at);
      builder.add(found.decoded, at);
      copied = at + found.length;
    }
    at = indexOf(text, mark, found === null ? at + 1 : copied);
  }
  if (builder === null) return null;
  builder.copy(copied, text.length);
  return builder.build(text.length);
}

function indexOf(text: string, mark: string | RegExp, from: number): number {
  if (typeof mark === 'string') return text.indexOf(mark, from);
  mark.lastIndex = from;
  return mark.exec(text)?.index ?? -1;
}
