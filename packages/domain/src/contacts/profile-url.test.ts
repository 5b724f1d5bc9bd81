import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { readRuleCases, testRuleCases } from '../../test/rule-suite.ts';
import { ApiError } from '../errors/errors.ts';
import { canonicalProfileUrl, type ProfileUrl, parseProfileUrl, storedVariants } from './profile-url.ts';

testRuleCases('profile-url', ({ rule }) => {
  rule<string>('parseProfileUrl', parseProfileUrl);
});

test('the message quotes the input, cut to a readable length', () => {
  expect(() => parseProfileUrl('example.com')).toThrow(
    'profileUrl "example.com" is not a profile URL: its host is not one of the supported profile networks',
  );
  expect(() => parseProfileUrl('a'.repeat(5000))).toThrow(/^.{1,250}$/);
});

test('accepts 2048 characters', () => {
  const url = 'https://www.linkedin.com/in/jane?q=';
  expect(parseProfileUrl(url.padEnd(2048, 'a')).handle).toBe('jane');
  expect(() => parseProfileUrl(url.padEnd(2049, 'a'))).toThrow('longer than 2048 characters');
});

const handleOf = (alphabet: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength });
const professionalHandle = handleOf('abcxyzABCXYZ0189-_äÖßÇñøİıſKΣσςЖжñ太郎ابج🚀', 30).filter(
  (handle) => handle.toLowerCase() !== 'me',
);
const shortPostHandle = handleOf('abcxyzABCXYZ0189_', 15).filter((handle) => !/^(?:i|x)$/i.test(handle));
const pubHandle = fc
  .tuple(
    handleOf('abcxyzABCXYZ-', 20).filter((name) => name.toLowerCase() !== 'dir'),
    fc.array(handleOf('0123456789abcdefABCDEF', 3), { minLength: 3, maxLength: 3 }),
  )
  .map(([name, codes]) => [name, ...codes].join('/'));

const scheme = fc.constantFrom('https://', 'http://', 'HTTPS://', '//', '');
const tail = fc.constantFrom('', '/', '?a=b,c', '#top', '/?a=b#top', '/details/skills/', '/status/1/photo/2');
const professionalHost = fc.constantFrom('linkedin.com', 'www.LinkedIn.com', 'm.linkedin.com', 'de.linkedin.com');
const shortPostHost = fc.constantFrom('x.com', 'Twitter.com', 'mobile.twitter.com', 'fxtwitter.com', 'www.fixvx.com');
const profileUrl = fc.oneof(
  fc.tuple(scheme, professionalHost, fc.constant('/in/'), professionalHandle, tail),
  fc.tuple(scheme, professionalHost, fc.constant('/pub/'), pubHandle, tail),
  fc.tuple(scheme, shortPostHost, fc.constant('/'), shortPostHandle, tail),
);

describe('laws of profile URLs', () => {
  test('the canonical form is stable, ASCII and has no tail', () => {
    fc.assert(
      fc.property(profileUrl, (parts) => {
        const profile = parseProfileUrl(parts.join(''));
        expect(parseProfileUrl(profile.canonical)).toEqual(profile);
        expect(canonicalProfileUrl(canonicalProfileUrl(parts.join('')))).toBe(profile.canonical);
        expect(profile.canonical).toMatch(
          /^https:\/\/(?:x\.com\/|www\.linkedin\.com\/(?:in|pub)\/)[\w%/.!~*'()-]*[^/]$/,
        );
      }),
    );
  });

  test('scheme, host of the network, case and tail do not change the profile', () => {
    fc.assert(
      fc.property(profileUrl, scheme, tail, ([, host, path, handle], otherScheme, otherTail) => {
        const canonical = canonicalProfileUrl(`${host}${path}${handle}`);
        expect(canonicalProfileUrl(`${otherScheme}${host.toUpperCase()}${path}${handle}${otherTail}`)).toBe(canonical);
        expect(canonicalProfileUrl(`${host}${path}${handle.split('/').map(encodeURIComponent).join('/')}`)).toBe(
          canonical,
        );
        expect(canonicalProfileUrl(`${host}${path}${handle.normalize('NFD')}`)).toBe(canonical);
      }),
    );
  });

  test('every stored variant is lower-case, unique and parses back to the same profile', () => {
    fc.assert(
      fc.property(profileUrl, (parts) => {
        const profile = parseProfileUrl(parts.join(''));
        const variants = storedVariants(profile);
        expect(variants.length).toBeLessThanOrEqual(36);
        expect(new Set(variants).size).toBe(variants.length);
        expect(variants[0]).toBe(profile.canonical.toLowerCase());
        for (const variant of variants) {
          expect(variant).toBe(variant.toLowerCase());
          expect(parseProfileUrl(variant)).toEqual(profile);
        }
      }),
    );
  });

  test('different profiles share no variant', () => {
    const shared = (a: ProfileUrl, b: ProfileUrl) =>
      storedVariants(a).some((variant) => storedVariants(b).includes(variant));
    fc.assert(
      fc.property(profileUrl, profileUrl, (one, other) => {
        const [a, b] = [parseProfileUrl(one.join('')), parseProfileUrl(other.join(''))];
        expect(shared(a, b)).toBe(a.canonical === b.canonical);
      }),
    );
  });

  test('any text is either a profile URL or refused with 400', () => {
    const prefix = fc.constantFrom('', 'https://www.linkedin.com/in/', 'x.com/', 'linkedin.com/pub/', 'https://');
    fc.assert(
      fc.property(prefix, fc.string({ unit: anyCharacter }), (start, rest) => {
        try {
          expect(parseProfileUrl(parseProfileUrl(start + rest).canonical).canonical).toMatch(/^https:/);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ statusCode: 400 });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('storedVariants', () => {
  test('schemes, hosts and trailing slash of the professional network', () => {
    const variants = storedVariants(parseProfileUrl('de.linkedin.com/in/Jane'));
    expect(variants).toHaveLength(18);
    expect(variants).toEqual(
      expect.arrayContaining([
        'https://www.linkedin.com/in/jane',
        'https://www.linkedin.com/in/jane/',
        'http://linkedin.com/in/jane',
        'linkedin.com/in/jane/',
        'https://m.linkedin.com/in/jane',
      ]),
    );
  });

  test('both names of the short-post network', () => {
    const variants = storedVariants(parseProfileUrl('https://vxtwitter.com/Jane_Doe/status/1'));
    expect(variants).toHaveLength(36);
    expect(variants).toEqual(
      expect.arrayContaining([
        'https://x.com/jane_doe',
        'http://www.twitter.com/jane_doe/',
        'mobile.twitter.com/jane_doe',
      ]),
    );
  });

  test('has encoded and decoded variants of a non-ASCII handle', () => {
    const variants = storedVariants(parseProfileUrl('linkedin.com/in/J%C3%BCrgen'));
    expect(variants).toHaveLength(36);
    expect(variants).toEqual(
      expect.arrayContaining(['https://www.linkedin.com/in/j%c3%bcrgen', 'https://www.linkedin.com/in/jürgen/']),
    );
  });

  test('the variants of every valid vector include its canonical URL in lower case', () => {
    const valid = readRuleCases<string, ProfileUrl>('profile-url').filter(({ error }) => error === undefined);
    expect(valid.length).toBeGreaterThanOrEqual(60);
    for (const { input } of valid) {
      const profile = parseProfileUrl(input);
      expect(storedVariants(profile)).toContain(profile.canonical.toLowerCase());
    }
  });
});
