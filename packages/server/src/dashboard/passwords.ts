/**
 * Passwords are stored as PHC strings: argon2id with the least parameters that OWASP names, or scrypt where this Node.js has no argon2
 * (before 24.7). Hashes of both kinds are verified, and one with other parameters is replaced at the next sign-in.
 */
import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import { DashboardError } from './errors.ts';

const LENGTH_MIN = 12;
const BYTES_MAX = 1_000;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** 19 MiB, two passes. */
const ARGON2 = { m: 19_456, t: 2, p: 1 } as const;
const SCRYPT = { ln: 17, r: 8, p: 1 } as const;

/** @throws DashboardError when the password must not be used */
export function assertGoodPassword(password: string, email: string): void {
  const refuse = (message: string): never => {
    throw new DashboardError(400, 'invalid_input', `password: ${message}`);
  };
  const normal = normalize(password);
  if ([...normal].length < LENGTH_MIN) refuse(`must have at least ${LENGTH_MIN} characters`);
  if (Buffer.byteLength(normal) > BYTES_MAX) refuse(`must have at most ${BYTES_MAX} bytes`);
  if (normal.trim().toLowerCase() === email.toLowerCase()) refuse('must not be your address');
}

/** The same characters, however a keyboard composes them. */
function normalize(password: string): string {
  return password.normalize('NFC');
}

/** @param kind default: the best that this Node.js has */
export async function hashPassword(password: string, kind: HashKind = currentKind()): Promise<string> {
  const salt = crypto.randomBytes(SALT_BYTES);
  const parameters = kind === 'argon2id' ? ARGON2 : SCRYPT;
  const hash = await derive(password, { kind, parameters, salt });
  return `${headOf(kind)}${base64(salt)}$${base64(hash)}`;
}

export type HashKind = 'argon2id' | 'scrypt';

function currentKind(): HashKind {
  return findArgon2() === undefined ? 'scrypt' : 'argon2id';
}

/** Returns undefined in Node.js 22. Read at each call, so that tests can replace it. */
function findArgon2(): typeof crypto.argon2 | undefined {
  return crypto.argon2;
}

/** Everything before the salt. */
function headOf(kind: HashKind): string {
  return kind === 'argon2id'
    ? `$argon2id$v=19$m=${ARGON2.m},t=${ARGON2.t},p=${ARGON2.p}$`
    : `$scrypt$ln=${SCRYPT.ln},r=${SCRYPT.r},p=${SCRYPT.p}$`;
}

/**
 * Returns whether a password is right. Without a stored hash, as for an unknown address, it takes as long and returns false.
 *
 * @throws DashboardError when this Node.js cannot verify the hash
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (stored === null) {
    await hashPassword(password);
    return false;
  }
  const { kind, parameters, salt, hash } = parsePhc(stored);
  const derived = await derive(password, { kind, parameters, salt });
  return derived.length === hash.length && crypto.timingSafeEqual(derived, hash);
}

/** Returns whether a hash has other parameters than new ones get. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(headOf(currentKind()));
}

interface Phc {
  kind: HashKind;
  parameters: Readonly<Record<string, number>>;
  salt: Buffer;
}

const PHC = /^\$(argon2id|scrypt)\$(?:v=19\$)?([a-z0-9=,]+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parsePhc(stored: string): Phc & { hash: Buffer } {
  const [, kind, parameters = '', salt = '', hash = ''] = PHC.exec(stored) ?? [];
  if (kind !== 'argon2id' && kind !== 'scrypt') throw new Error('A stored password hash has an unknown form.');
  const pairs = parameters.split(',').map((pair) => pair.split('='));
  return {
    kind,
    parameters: Object.fromEntries(pairs.map(([name = '', value]) => [name, Number(value)])),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** Hashes use the threads that also look up host names for calls to CRMs, so a flood of sign-ins must leave some free. */
const AT_ONCE = 2;
const WAITING_MAX = 50;
let running = 0;
const waiting: (() => void)[] = [];

/** @throws DashboardError when too many wait */
async function derive(password: string, phc: Phc): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING_MAX) {
      throw new DashboardError(503, 'server_unavailable', 'Too many users sign in at once: try again shortly.', 5);
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await deriveNow(normalize(password), phc);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function deriveNow(message: string, { kind, parameters, salt }: Phc): Promise<Buffer> {
  if (kind === 'scrypt') return deriveScrypt(message, parameters, salt);
  const argon2 = findArgon2();
  if (argon2 === undefined) {
    throw new DashboardError(503, 'server_unavailable', 'Passwords of this installation need Node.js 24.7 or newer.');
  }
  const { m: memory = 0, t: passes = 0, p: parallelism = 0 } = parameters;
  return promisify(argon2)('argon2id', {
    ...{ message, nonce: salt, memory, passes, parallelism },
    tagLength: HASH_BYTES,
  });
}

function deriveScrypt(message: string, parameters: Phc['parameters'], salt: Buffer): Promise<Buffer> {
  const { ln = 0, r = 0, p = 0 } = parameters;
  const cost = 2 ** ln;
  // Node.js counts a little more than the 128 * N * r bytes of the algorithm.
  const options = { N: cost, r, p, maxmem: 256 * cost * r };
  return new Promise((resolve, reject) => {
    crypto.scrypt(message, salt, HASH_BYTES, options, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
