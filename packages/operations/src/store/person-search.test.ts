import { parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { erasedTextOf, namings, people, textOf } from '../../test/support/person-spellings.ts';
import { createPersonSearch, ESCAPED_LETTER } from './person-search.ts';

const ANN = { email: 'ann@person.example', profileUrl: 'https://linkedin.com/in/ann-b' };
const ann = createPersonSearch(parseContactIdentity(ANN));

test.each([
  ['ann@person.example', true],
  ['ANN@Person.Example.', true],
  [`<ann@person.example>`, true],
  [`mailto:ann@person.example?subject=x`, true],
  ['to=ann@person.example', true],
  ["l'adresse d'ann@person.example.", true],
  ["o'ann@person.example", false],
  ['- see...ann@person.example', true],
  [String.raw`{"x":"x\nann@person.example\nBest"}`, true],
  [String.raw`{"to":"ann\u0040person.example"}`, true],
  [String.raw`{"to":"\u0061nn@person.example"}`, true],
  [String.raw`400: {\"to\":\"x\nann@person.example`, true],
  ['{"cut":"off ann@person.exam', false],
  ['{"cut":"off ann@person.example', true],
  ['{"cut":"off ann@person.example\\', true],
  ['?to=%3Cann%40person.example%3E', true],
  ['to=%61nn%40person.example&x=1', true],
  ['text=hi+ann%40person.example', true],
  ['ann&#64;person.example', true],
  ['ann&commat;person.example', true],
  ['&amp;lt;ann&amp;#x40;person.example', true],
  ['joann@person.example', false],
  ['ann@person.example.org', false],
  ['x.ann@person.example', false],
  ['ann+tag@person.example', false],
  ['tag+ann@person.example', false],
  ['?to=tag%2Bann%40person.example', false],
  [String.raw`{"to":"tag\u002bann@person.example"}`, false],
  ['éann@person.example', false],
  ['?to=%C3%A9ann%40person.example', false],
  [String.raw`{"to":"\u00e9ann@person.example"}`, false],
  ['“ann@person.example”', true],
  ['\u{1f600}ann@person.example\u{1f600}', true],
  [String.raw`{"to":"\ud83d\ude00ann@person.example"}`, true],
  ['?next=%3Fto%3Dann%2540person.example', true],
  ['reply_to:ann@person.example_7', true],
  ['ann@personXexample', false],
  ['https://www.linkedin.com/in/ann-b/', true],
  ['http://de.linkedin.com/in/Ann-B?trk=1', true],
  ['see (linkedin.com/in/%61nn-b/details).', true],
  ['at linkedin.com/in/ann%2Db%20today', true],
  ['at linkedin.com/in/ann-b%65%20today', false],
  [String.raw`"https:\/\/linkedin.com\/in\/ann-b"`, true],
  ['https%3A%2F%2Flinkedin.com%2Fin%2Fann-b', true],
  ['https://linkedin.com/in/ann-bee', false],
  ['https://linkedin.com/in/joann-b', false],
  ['https://notlinkedin.com/in/ann-b', false],
])('the text %s names the person: %s', async (text, isFound) => {
  expect(await ann.mentions(text)).toBe(isFound);
});

test('what begins with the letter of an escape is not the name behind the escape', async () => {
  const [nina, ina] = ['nina', 'ina'].map((name) =>
    createPersonSearch(parseContactIdentity({ email: `${name}@person.example`, profileUrl: undefined })),
  );
  const text = String.raw`{"text":"Best\nina@person.example"}`;
  expect(await nina?.mentions(text)).toBe(false);
  expect(await ina?.scrub(text)).toBe(String.raw`{"text":"Best\nerased"}`);
  // A text that is no JSON may mean both.
  expect(await nina?.mentions(String.raw`C:\nina@person.example`)).toBe(true);
  expect(await ina?.mentions(String.raw`C:\nina@person.example`)).toBe(true);
});

test.each([
  ['https://x.com/ann_b', 'x.com/Ann_B/status/1', true],
  ['https://x.com/ann_b', 'via https://fxtwitter.com/@ann_b, she', true],
  ['https://x.com/ann_b', 'https://x.com/ann_bee', false],
  ['https://linkedin.com/pub/ann/1a/2b/3c', 'https://linkedin.com/pub/ann/1A/2b/3c', true],
  ['https://linkedin.com/pub/ann/1a/2b/3c', 'https://linkedin.com/pub/ann/1a/2b/4d', false],
])('%s is named by %s: %s', async (profileUrl, text, isFound) => {
  const search = createPersonSearch(parseContactIdentity({ email: undefined, profileUrl }));
  expect(await search.mentions(text)).toBe(isFound);
});

test('every spelling is replaced in its place, nothing else changes, and SQL would not leave the text out', async () => {
  const cases = people.chain((person) => namings(person).map((naming) => ({ person, naming })));
  await fc.assert(
    fc.asyncProperty(cases, async ({ person, naming }) => {
      const search = createPersonSearch(parseContactIdentity(person));
      const text = textOf(naming);
      expect(await search.scrub(text)).toBe(erasedTextOf(naming));
      expect(await search.mentions(text)).toBe(naming.isHers);
      const lower = text.toLowerCase();
      const isLike = search.hints.some((hint) => new RegExp(hint.split('%').join('[^]*'), 'u').test(lower));
      if (naming.isHers) expect(isLike || new RegExp(ESCAPED_LETTER).test(lower)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test('any text is read to its end, and what is not the person stays', async () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    '\\u00',
    '\\n',
    '%',
    '%25',
    '&',
    '&#',
    ';',
    '{',
    ':',
    '@',
    'ann',
    'person.example',
    'linkedin.com/in/',
    '+',
    'é',
    '\ud83d',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const text = pieces.join('');
      const scrubbed = await ann.scrub(text);
      expect(await ann.mentions(scrubbed)).toBe(false);
      if (!(await ann.mentions(text))) expect(scrubbed).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('a person is found anywhere in a long text, also where it is cut into parts', async () => {
  for (const place of [0, 57_343 - 9, 61_440 - 3, 65_536 - 9, 122_880 - 9, 199_000]) {
    const text = `${'x '.repeat(place / 2)}ann@person.example ${'y '.repeat((200_000 - place) / 2)}`;
    expect(await ann.scrub(text)).toBe(text.replace('ann@person.example', 'erased'));
    expect(await ann.mentions(text.replace('ann@', 'joann@'))).toBe(false);
  }
});
