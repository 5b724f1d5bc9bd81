import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

type Argon2 = (algorithm: string, parameters: object, done: (error: Error | null, hash: Buffer) => void) => void;
type Scrypt = (...args: [string, Buffer, number, object, (error: Error | null, hash: Buffer) => void]) => void;

/**
 * Hashes passwords with little memory in the tests of this file. With the parameters of the server, hundreds of sign-ins take half a
 * minute of processor time. `passwords.test.ts` proves those parameters.
 */
export function hashCheaply(): void {
  const { argon2, scrypt } = crypto as unknown as { argon2?: Argon2; scrypt: Scrypt };
  const cheap: { argon2?: Argon2; scrypt: Scrypt } = {
    ...(argon2 !== undefined && {
      argon2: (algorithm, parameters, done) => argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, done),
    }),
    scrypt: (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: 16 }, done),
  };
  const use = (functions: object) => {
    Object.assign(crypto, functions);
    syncBuiltinESMExports();
  };
  beforeAll(() => use(cheap));
  afterAll(() => use({ argon2, scrypt }));
}
