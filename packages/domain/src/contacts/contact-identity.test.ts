import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  identityKey,
  isCategoryOf,
  isIdentityKey,
  isRecipient,
  outreachKeys,
  parseContactIdentity,
  parseEmail,
} from './contact-identity.ts';
import type { RawParameter } from '../requests/parameters.ts';
import { storedVariants } from './profile-url.ts';

interface QueryInput {
  email?: RawParameter;
  profileUrl?: RawParameter;
}
const parse = ({ email, profileUrl }: QueryInput) => parseContactIdentity({ email, profileUrl });

testRuleCases('contact-identity', ({ rule }) => {
  rule<QueryInput>('parseContactIdentity', (query) => {
    const { email, profiles, profileUrls } = parse(query);
    expect(profiles.map(({ canonical }) => canonical)).toEqual(profileUrls);
    return { email, profileUrls };
  });
  rule<QueryInput>('categoryKeys', (query) => outreachKeys(parse(query)).categoryKeys);
  rule<string>('isIdentityKey', isIdentityKey);
});

describe('parseEmail', () => {
  const longest = `jane@${'a.'.repeat(122)}coffee`.slice(0, 254);

  test.each(['jane@example.1a', 'jane@example.a1', longest])('accepts %s', (email) => {
    expect(parseEmail(email)).toBe(email);
  });

  test.each(['jane@example.12', 'jane@exa!mple.com', 'jane@example!.com', `${longest}e`])('refuses %s', (email) => {
    expect(() => parseEmail(email)).toThrow('is not one complete email address');
  });
});

describe('outreachKeys', () => {
  test('an email gives one key', () => {
    expect(outreachKeys(parse({ email: 'Jane@Example.com' }))).toEqual({
      emailKeys: ['jane@example.com'],
      profileKeys: [],
      categoryKeys: { emails: ['jane@example.com'], profiles: [] },
    });
  });

  test('profile URLs give their stored variants', () => {
    const identity = parse({ profileUrl: ['linkedin.com/in/jane', 'x.com/jane'] });
    const { emailKeys, profileKeys } = outreachKeys(identity);
    expect(emailKeys).toEqual([]);
    expect(profileKeys).toEqual(identity.profiles.flatMap(storedVariants));
    expect(profileKeys).toContain('https://twitter.com/jane');
  });

  test('five profiles give at most 180 keys', () => {
    const profileUrl = ['x.com/a', 'x.com/b', 'x.com/c', 'x.com/d', 'x.com/e'];
    expect(outreachKeys(parse({ profileUrl })).profileKeys).toHaveLength(180);
  });
});

describe('matching stored recipients and categories', () => {
  const keys = () => outreachKeys(parse({ email: 'jane@example.com', profileUrl: 'x.com/jane' }));

  test.each([
    ['Jane@Example.com', 'PIPEDRIVE', true, 'an email matches on every connection'],
    ['https://twitter.com/Jane/', 'HUBSPOT', true, 'a spelling of the profile matches where the CRM stores them'],
    ['https://x.com/jane', 'SALESFORCE', true, 'also on the other such CRM'],
    ['https://x.com/jane', 'PIPEDRIVE', false, 'on no other CRM'],
    ['joe@example.com', 'HUBSPOT', false, 'somebody else'],
    ['https://x.com/joe', 'HUBSPOT', false, 'somebody else'],
  ])('recipient %s on %s: %s (%s)', (recipient, crm, isContact) => {
    expect(isRecipient(keys(), recipient, crm)).toBe(isContact);
  });

  test.each([
    ['jane@example.com', 'PIPEDRIVE', true],
    ['https://x.com/jane', 'HUBSPOT', true],
    ['https://x.com/jane', 'PIPEDRIVE', false],
    ['https://twitter.com/jane', 'HUBSPOT', false],
    ['joe@example.com', 'HUBSPOT', false],
  ])('category of %s on %s: %s', (identity, crm, isContact) => {
    expect(isCategoryOf(keys(), identity, crm)).toBe(isContact);
  });
});

describe('laws of the identity', () => {
  const handles = fc.array(fc.stringMatching(/^[a-h_]{2,6}$/), { minLength: 1, maxLength: 8 });

  test('repeated parameters and comma lists are equivalent', () => {
    fc.assert(
      fc.property(handles, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (names, breaks) => {
        const urls = names.map((name) => `x.com/${name}`);
        const lists = urls.reduce<string[]>((all, url, index) => {
          const last = all.pop();
          if (last === undefined) return [url];
          return breaks[index] ? [...all, last, url] : [...all, `${last},${url}`];
        }, []);
        if (urls.length > 5) {
          expect(() => parse({ profileUrl: lists })).toThrow('At most 5');
        } else {
          expect(parse({ profileUrl: lists })).toEqual(parse({ profileUrl: urls }));
          expect(parse({ profileUrl: lists }).profileUrls).toEqual([...new Set(urls.map((url) => `https://${url}`))]);
        }
      }),
    );
  });

  test('a category signal is found by the key it is stored under, which is one of the stored forms', () => {
    const handle = fc.stringMatching(/^[a-zA-Z0-9\u00e4\u00fc\u00df\u0130\u03a3\u0416\u5c71]{2,9}$/);
    fc.assert(
      fc.property(handle, (name) => {
        const identity = parse({ profileUrl: `https://de.linkedin.com/in/${name}` });
        const { categoryKeys, profileKeys } = outreachKeys(identity);
        const stored = identity.profileUrls.map(identityKey);
        expect(categoryKeys.profiles).toEqual(stored);
        expect(profileKeys).toEqual(expect.arrayContaining(stored));
        expect(stored.every(isIdentityKey)).toBe(true);
      }),
    );
  });

  test('parsing a parsed email changes nothing', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        fc.pre(address.length <= 254);
        expect(parseEmail(address)).toBe(address.toLowerCase());
        expect(parseEmail(parseEmail(address.toUpperCase()))).toBe(address.toLowerCase());
      }),
    );
  });
});
