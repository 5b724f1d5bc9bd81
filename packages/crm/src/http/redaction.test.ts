import { expect, test } from 'vitest';
import { createRedaction } from './redaction.ts';

const BODY = `Dear Kim, as discussed on the phone, here is our offer. ${'More of it. '.repeat(1_000)}`;
const redact = createRedaction(['kim@example.org', 'Kim', BODY, 'a token with [brackets] and $& in it']);

test.each([
  ['a value in any case', 'no KIM@Example.org here', 'no […] here'],
  ['several values', 'kim@example.org: a token with [brackets] and $& in it!', '[…]: […]!'],
  ['a short word stays', 'Kim is a word', 'Kim is a word'],
  ['a text of which only the beginning is repeated', `bad text: ${BODY.slice(0, 90)}... (id 7)`, 'bad text: […]'],
  ['a text that is cut', `bad text: ${BODY}`, 'bad text: […]'],
  ['nothing', 'Property "x" does not exist', 'Property "x" does not exist'],
])('%s', (_what, text, expected) => {
  expect(redact(text)).toBe(expected);
});
