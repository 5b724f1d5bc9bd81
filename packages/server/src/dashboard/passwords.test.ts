import { describe, expect, test } from 'vitest';
import { DashboardError } from './errors.ts';
import { assertGoodPassword, hashPassword, isOutdated, verifyPassword } from './passwords.ts';

const PASSWORD = 'correct horse battery';
/** A hash of the same password that is quick to verify. */
const CHEAP_HASH = '$scrypt$ln=4,r=8,p=1$c29tZXNhbHRzb21lc2FsdA$SikUah5mz5brSeCbJA53jlzsqDVLQidRB1LbFitNGm4';

describe.each(['argon2id', 'scrypt'] as const)('%s', (kind) => {
  test('verifies the password that was hashed, and no other', async () => {
    const stored = await hashPassword(PASSWORD, kind);
    expect(stored).toMatch(
      kind === 'argon2id'
        ? /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/
        : /^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
    );
    expect(await verifyPassword(PASSWORD, stored)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, stored)).toBe(false);
    expect(isOutdated(stored)).toBe(kind === 'scrypt');
  });
});

test('a hash of the argon2 reference program is verified, and is to be replaced', async () => {
  // echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await verifyPassword('password', stored)).toBe(true);
  expect(isOutdated(stored)).toBe(true);
});

test('a composed and a decomposed letter are the same', async () => {
  expect(await verifyPassword('schöne grüße', await hashPassword('scho\u0308ne gru\u0308ße'))).toBe(true);
});

test('a flood of sign-ins is refused before it takes all threads, and the rest are answered', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword(PASSWORD, CHEAP_HASH)));
  const right = tries.filter((result) => result.status === 'fulfilled' && result.value);
  const refused = tries.filter((result) => result.status === 'rejected' && result.reason instanceof DashboardError);
  expect([right.length, refused.length]).toEqual([52, 8]);
  expect(await verifyPassword(PASSWORD, CHEAP_HASH)).toBe(true);
});

test('two hashes of one password differ', async () => {
  expect(await hashPassword(PASSWORD)).not.toBe(await hashPassword(PASSWORD));
});

test('without a stored hash nothing is right', async () => {
  expect(await verifyPassword(PASSWORD, null)).toBe(false);
});

test.each([
  ['short', 'at least 12 characters'],
  ['👍'.repeat(11), 'at least 12 characters'],
  ['x'.repeat(1_001), 'at most 1000 bytes'],
  ['ü'.repeat(501), 'at most 1000 bytes'],
  ['Kim.Example@example.com', 'must not be your address'],
])('%j is refused', (password, message) => {
  expect(() => assertGoodPassword(password, 'kim.example@example.com')).toThrow(message);
});

test.each([PASSWORD, '👍'.repeat(12), 'ü'.repeat(500), ' '.repeat(12)])('%j is taken', (password) => {
  expect(() => assertGoodPassword(password, 'kim@example.com')).not.toThrow();
});
