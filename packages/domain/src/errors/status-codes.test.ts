import { BLOCKER_CODES, WARNING_CODES } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { STATUS_CODES } from './status-codes.ts';

test('explains exactly the codes of the vocabulary, by kind', () => {
  const codesOf = (kind: string) =>
    Object.entries(STATUS_CODES).flatMap(([code, explanation]) => (explanation.kind === kind ? [code] : []));
  expect(codesOf('blocker')).toEqual([...BLOCKER_CODES]);
  expect(codesOf('warning')).toEqual([...WARNING_CODES]);
});

test.each(Object.entries(STATUS_CODES))(
  '%s has whole sentences as meaning and a fix without full stop',
  (_code, text) => {
    expect(text.meaning).toMatch(/^[A-Z].+\.$/);
    expect(text.fix).toMatch(/^[A-Z].+[^.:]$/);
  },
);
