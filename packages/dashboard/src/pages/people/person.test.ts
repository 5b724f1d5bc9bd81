import { expect, test } from 'vitest';
import { readFragment, readPerson, writeFragment } from './person.ts';

test('a text with @ and without a slash is an address, any other a profile URL', () => {
  expect(readPerson(' ada@example.com ')).toEqual({ email: 'ada@example.com' });
  expect(readPerson('linkedin.com/in/ada@home')).toEqual({ profileUrl: 'linkedin.com/in/ada@home' });
  expect(readPerson(' ')).toBeNull();
});

test('a fragment keeps the text', () => {
  const text = 'https://www.linkedin.com/in/adä?x=1#y';
  expect(readFragment(writeFragment(text))).toBe(text);
  expect(readFragment('#%')).toBe('');
  expect(readFragment('')).toBe('');
});
