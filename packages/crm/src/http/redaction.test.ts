import { expect, test } from 'vitest';
import { inboundEvent } from '../../test/support/inbound-event.ts';
import { createRedaction, writtenValues } from './redaction.ts';

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

test('what is written of an event: its custom fields, tags, planned fields and last values too', () => {
  const event = inboundEvent();
  const contact = {
    ...event.contact,
    custom: { City: 'Copenhagen', Employees: 12_345, Partner: true },
    tags: ['warm', 'vip', 'north', 'b2b'],
  };
  const fields = [{ property: 'city', write: 'fill', value: 'Aarhus', valueOfNew: 'Odense' }] as const;
  const values = writtenValues({ event: { ...event, contact }, fields, lastValues: { lastReplyText: 'Call me' } });
  const said = 'Copenhagen 12345 warm north Aarhus Odense Call me vip true';
  expect(createRedaction(values)(said)).toBe('[…] […] […] […] […] […] […] vip true');
});
