import { expect, test } from 'vitest';
import { findContactColumns, readLookUpKey } from './contact-columns.ts';

const find = (header: string, emailColumn?: string, ...profileUrlColumns: string[]) =>
  findContactColumns(header.split(','), {
    emailColumn,
    profileUrlColumns: profileUrlColumns.length === 0 ? undefined : profileUrlColumns,
  });

test.each([
  ['name,email', { email: 1, profileUrls: [] }],
  ['E-Mail,name', { email: 0, profileUrls: [] }],
  ['name, EMAIL ADDRESS ', { email: 1, profileUrls: [] }],
  ['Work Email,Email', { email: 1, profileUrls: [] }],
  ['Work Email,Email sent', { email: 0, profileUrls: [] }],
  ['name,LinkedIn URL,Profile URL', { email: null, profileUrls: [1, 2] }],
  ['email_address,Person Linkedin Url,Company Linkedin Url', { email: 0, profileUrls: [1] }],
])('finds columns by common names: %s', (header, columns) => {
  expect(find(header)).toEqual(columns);
});

test('finds chosen columns by name or number', () => {
  expect(find('Email,Mail 2,LinkedIn', 'mail 2')).toEqual({ email: 1, profileUrls: [2] });
  expect(find('Email,email', 'email')).toEqual({ email: 1, profileUrls: [] });
  expect(find('Email,Email', '2')).toEqual({ email: 1, profileUrls: [] });
  expect(find('Email,2', '2')).toEqual({ email: 1, profileUrls: [] });
  expect(find('Email,LinkedIn,Home,X', undefined, 'x', 'Home')).toEqual({ email: 0, profileUrls: [3, 2] });
  expect(find('LinkedIn,b', 'LinkedIn')).toEqual({ email: 0, profileUrls: [] });
});

test.each([
  [() => find('name,phone'), 'No column is named like', 'Columns: 1 name, 2 phone.'],
  [() => find('kim@example.org,'), 'No column is named like', 'Columns: 1 kim@example.org, 2 (no name).'],
  [() => find('Email,name,E-Mail'), 'Several columns are named like an email address: Email, E-Mail', '3 E-Mail.'],
  [() => find('Email,name', 'Mail'), 'There is no column Mail', 'Columns: 1 Email, 2 name.'],
  [() => find('Email,name', '3'), 'There is no column 3', 'Columns: '],
  [() => find('Email,name', '0'), 'There is no column 0', 'Columns: '],
  [() => find('Email,Email', 'email'), 'Several columns are named email', 'by its number. Columns: 1 Email, 2 Email.'],
  [() => find('Email,name', undefined, 'url'), 'There is no column url', 'Columns: '],
])('errors list the columns: %#', (run, message, hint) => {
  expect(run).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  );
});

const columns = { email: 0, profileUrls: [1, 2] };
const SIX = 'a.b/1 a.b/2 a.b/3 a.b/4 a.b/5';

test.each([
  ['both', [' Kim@example.org ', 'x.com/kim', ''], { email: 'Kim@example.org', profileUrls: ['x.com/kim'] }],
  ['an email alone', ['kim@example.org', '', ''], { email: 'kim@example.org', profileUrls: [] }],
  ['URLs alone, each once', ['', 'x.com/a, x.com/b', 'x.com/a'], { email: null, profileUrls: ['x.com/a', 'x.com/b'] }],
  ['none', ['', ' ', ''], null],
  ['no address', ['n/a', 'x.com/kim', ''], 'email is not an email address: it has no @'],
  ['too many URLs', ['', SIX, 'a.b/6'], 'at most 5 profile URLs can be looked up for a contact, not 6'],
  ['five', ['', SIX, 'a.b/5'], { email: null, profileUrls: SIX.split(' ') }],
  ['a very long email', [`${'x'.repeat(5000)}@example.org`, '', ''], 'email is not an email address: it is too long'],
  ['a very long URL', ['', `x.com/${'x'.repeat(5000)}`, ''], 'a profile URL is too long'],
])('readLookUpKey: %s', (_name, cells, key) => {
  expect(readLookUpKey(cells, columns)).toEqual(key);
});
