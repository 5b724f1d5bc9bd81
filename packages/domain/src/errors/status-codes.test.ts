import { BLOCKER_CODES, WARNING_CODES } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { STATUS_CODES } from './status-codes.ts';

test('every code of the vocabulary is explained, as what it is, and no other', () => {
  const codesOf = (kind: string) =>
    Object.entries(STATUS_CODES).flatMap(([code, explanation]) => (explanation.kind === kind ? [code] : []));
  expect(codesOf('blocker')).toEqual([...BLOCKER_CODES]);
  expect(codesOf('warning')).toEqual([...WARNING_CODES]);
});

test.each(Object.entries(STATUS_CODES))('%s says what it means in whole sentences and what to do', (_code, text) => {
  expect(text.meaning).toMatch(/^[A-Z].+\.$/);
  // A remediation goes on with a colon and a link.
  expect(text.fix).toMatch(/^[A-Z].+[^.:]$/);
});
