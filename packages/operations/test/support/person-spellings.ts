/** Texts that name a person or somebody whose address or profile URL looks like it, in every way in which they may be stored. */
import fc from 'fast-check';

/** A text around one address or profile URL, in three parts. */
export interface Naming {
  before: string;
  identity: string;
  after: string;
}

export interface Named extends Naming {
  isHers: boolean;
}

export const textOf = ({ before, identity, after }: Naming): string => before + identity + after;
/** What an erasure leaves of a text. */
export const erasedTextOf = ({ before, identity, after, isHers }: Named): string =>
  before + (isHers ? 'erased' : identity) + after;

/** `ina` and `nina`: the escape of a line break ends with an n. Others end with the other letters of escapes. */
const LOCAL_PARTS = [
  'ina',
  'nina',
  'rolf',
  'tina',
  'bo.lee',
  'fé',
  'éva',
  'ΝΊΚΟΣ',
  'u0041nn',
  'ann-b',
  "o'ann",
  'ann',
  'i̇da',
];
const DOMAINS = ['person.example', 'müller.example', 'person.example.org'];
const HANDLES = ['ann-b', 'éva-b', '李明', 'nina', 'ina', 'ann-b-1'];

export interface Person {
  email: string;
  profileUrl: string;
}

export const people: fc.Arbitrary<Person> = fc.record({
  email: fc
    .tuple(fc.constantFrom(...LOCAL_PARTS), fc.constantFrom(...DOMAINS))
    .map(([localPart, domain]) => `${localPart}@${domain}`),
  profileUrl: fc.constantFrom(...HANDLES).map((handle) => `https://www.linkedin.com/in/${handle}`),
});

/** A value for each character of a text. */
const perCharacter = <Value>(text: string, value: fc.Arbitrary<Value>) =>
  fc.array(value, { minLength: [...text].length, maxLength: [...text].length });

const respell = (text: string): fc.Arbitrary<string> =>
  fc.tuple(perCharacter(text, fc.boolean()), fc.constantFrom('NFC', 'NFD', 'NFC')).map(([isUpper, form]) =>
    [...text]
      .map((character, index) => {
        const upper = character.toUpperCase();
        return isUpper[index] === true && upper.toLowerCase() === character ? upper : character;
      })
      .join('')
      .normalize(form),
  );

const sameEmail = (email: string) => respell(email).filter((text) => fold(text) === fold(email));

const sameProfile = (handle: string) =>
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', '//', ''),
      fc.constantFrom('www.', 'de.', 'm.', ''),
      respell(handle),
      perCharacter(`${handle}xxxxxxxx`, fc.boolean()),
      fc.constantFrom('', '/', '/details/'),
    )
    .map(([scheme, host, path, isEncoded, end]) => {
      const encoded = [...path].map((character, index) => (isEncoded[index] === true ? percent(character) : character));
      return `${scheme}${host}linkedin.com/in/${encoded.join('')}${end}`;
    });

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function percent(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

const handleOf = ({ profileUrl }: Person) => profileUrl.slice(profileUrl.lastIndexOf('/') + 1);

const someone = (person: Person): fc.Arbitrary<{ identity: string; isHers: boolean; isUrl: boolean }> => {
  const [localPart = '', domain = ''] = person.email.split('@');
  const handle = handleOf(person);
  const others = [
    ...['n', 'r', 'u', 'jo', 'tag+', 'x.', 'x-', 'é', 'i'].map((prefix) => `${prefix}${localPart}@${domain}`),
    ...[`${[...localPart].slice(1).join('')}x@${domain}`, `${localPart}+tag@${domain}`, `${localPart}@${domain}.au`],
    ...LOCAL_PARTS.map((each) => `${each}@${domain}`),
  ].filter((email) => fold(email) !== fold(person.email) && !fold(email).endsWith(`'${fold(person.email)}`));
  const otherHandles = [...['n', 'jo', 'é'].map((prefix) => prefix + handle), `${handle}e`, ...HANDLES].filter(
    (each) => fold(each) !== fold(handle),
  );
  const as = (isHers: boolean, isUrl: boolean) => (identity: string) => ({ identity, isHers, isUrl });
  return fc.oneof(
    sameEmail(person.email).map(as(true, false)),
    sameProfile(handle).map(as(true, true)),
    fc
      .constantFrom(...others)
      .chain(sameEmail)
      .map(as(false, false)),
    fc
      .constantFrom(...otherHandles)
      .chain(sameProfile)
      .map(as(false, true)),
  );
};

const BEFORE = ['', ' ', '\n', '\r\n', '\t', '\b', '<', 'To: ', '“', '\u{1f600}', '"', '(', '\u0000\u0001', '\\n\n'];
const AFTER = ['', ' ', '\n', '>', ', ', '”', '"', ')', '. ', ';x', '?x=1'];

/** Encodes each part alone, so that it is known what stays when the identity goes. */
type Encoding = fc.Arbitrary<(naming: Naming) => Naming>;

function encoding(
  encode: (character: string, isChosen: boolean) => string,
  [open, close]: readonly [string, string],
): Encoding {
  const chosen = fc.integer({ max: 3, min: 0 }).map((number) => number === 0);
  return fc.array(chosen, { minLength: 7, maxLength: 23 }).map((isChosen) => {
    const all = (text: string) =>
      [...text].map((character, index) => encode(character, isChosen[index % isChosen.length] === true)).join('');
    return ({ before, identity, after }) => ({
      before: open + all(before),
      identity: all(identity),
      after: all(after) + close,
    });
  });
}

const unicode = (character: string) =>
  Array.from({ length: character.length }, (_unit, index) => {
    const digits = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${index === 0 ? digits : digits.toUpperCase()}`;
  }).join('');

const inJson = fc
  .constantFrom<[string, string]>(
    ['{"text":"', '"}'],
    ['["first", "', '"]'],
    ['{"a":{"b":[1.50,true,"', '"]},"big":12345678901234567890}'],
    ['"', '"'],
  )
  .chain((around) =>
    encoding((character, isChosen) => {
      if (character === '/' && isChosen) return '\\/';
      return isChosen && character > ' ' ? unicode(character) : JSON.stringify(character).slice(1, -1);
    }, around),
  );

/** Everything that may be a part of an address or URL or not is encoded, as encoders do. */
const MUST_ENCODE = /[^\p{L}\p{N}._-]/u;

const inUrl = encoding(
  (character, isChosen) =>
    isChosen || MUST_ENCODE.test(character) || character > '~' ? percent(character) : character,
  ['see https://x.example/?to=', '&x=1'],
);

const inHtml = encoding(
  (character, isChosen) =>
    isChosen || MUST_ENCODE.test(character)
      ? `&#${isChosen ? character.codePointAt(0) : `x${character.codePointAt(0)?.toString(16)}`};`
      : character,
  ['<p>', '</p>'],
);

/** Encodings from the innermost to the outermost. */
const encodings: fc.Arbitrary<((naming: Naming) => Naming)[]> = fc
  .tuple(
    fc.option(inHtml, { nil: null }),
    fc.array(inJson, { maxLength: 1 }),
    fc.option(inUrl, { nil: null }),
    fc.array(inJson, { maxLength: 2 }),
  )
  .map(([html, inner, url, outer]) => [html, ...inner, url, ...outer].filter((each) => each !== null));

/** Texts around the person or somebody else. */
export const namings = (person: Person): fc.Arbitrary<Named> =>
  fc
    .tuple(someone(person), fc.constantFrom(...BEFORE), fc.constantFrom(...AFTER), encodings)
    .map(([{ identity, isHers, isUrl }, before, after, list]) => {
      // A plain text with a backslash in front of a letter can be read in two ways.
      const isPlain = list.length === 0;
      const first = {
        before: isPlain && before.includes('\\') ? ' ' : before,
        identity,
        after: isUrl && after === '?x=1' ? '?x' : after,
      };
      return { ...list.reduce<Naming>((naming, encode) => encode(naming), first), isHers };
    });
