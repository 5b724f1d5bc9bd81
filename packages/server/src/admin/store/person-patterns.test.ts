import { parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyBackend } from '../../../test/support/backends.ts';
import type { Database } from '../../store/database/db.ts';
import { personPatterns } from './person-patterns.ts';

let db: Database;
beforeAll(async () => {
  db = await anyBackend.open();
});
afterAll(() => db.close());

test.each([
  ['ann@person.example', true],
  ['ANN@Person.Example.', true],
  [`<ann@person.example>`, true],
  [`mailto:ann@person.example?subject=x`, true],
  [String.raw`"x\nann@person.example\nBest"`, true],
  [String.raw`{"to":"ann\u0040person.example"}`, true],
  ['?to=%3Cann%40person.example%3E', true],
  ['ann&#64;person.example', true],
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
  ['&lt;ann&#x40;person.example&gt;', true],
  ['reply_to:ann@person.example_7', true],
  ['ann@personXexample', false],
  ['https://www.linkedin.com/in/ann-b/', true],
  ['http://de.linkedin.com/in/Ann-B?trk=1', true],
  [String.raw`"https:\/\/linkedin.com\/in\/ann-b"`, true],
  ['https%3A%2F%2Flinkedin.com%2Fin%2Fann-b', true],
  ['https://linkedin.com/in/ann-bee', false],
  ['https://linkedin.com/in/joann-b', false],
])('the text %s: %s', async (text, isFound) => {
  const identity = parseContactIdentity({ email: 'ann@person.example', profileUrl: 'https://linkedin.com/in/ann-b' });
  const { within, hints } = personPatterns(identity);
  const { rows } = await db.query(
    `select body ~* $2 as within, $1::text ~* $2 and lower(body) like any($3::text[]) as both
      from (select encode(convert_to($1, 'UTF8'), 'escape') as body) bytes`,
    [text, within, hints],
  );
  expect(rows).toEqual([{ within: isFound, both: isFound }]);
});
