/**
 * Signing of webhook deliveries.
 *
 * 1. The header is `t=<unix seconds>,v1=<hex>`.
 * 2. `v1` is HMAC-SHA256 over the bytes `<t>.<raw body>`; the key is the UTF-8 of the whole secret, prefix included.
 * 3. A receiver compares in constant time, against the raw bytes it received, never against re-serialized JSON.
 * 4. A timestamp that differs from the receiver's clock by more than the tolerance is refused, in both directions.
 * 5. The header has exactly one `t` and one or more `v1`. One `v1` must match one of the receiver's secrets, so that secrets
 *    can be rotated. Parts with other names are ignored; they are reserved for later signature schemes.
 *
 * Runs wherever WebCrypto does: browsers, Node, Deno, Bun, Workers. Imports nothing, to keep bundles small.
 */

/** The raw body. A string means its UTF-8 bytes. */
export type SignedPayload = Uint8Array | ArrayBuffer | string;

export interface SignPayloadOptions {
  payload: SignedPayload;
  /** The webhook's signing secret, `oswhsec_` included. */
  secret: string;
  /** Whole seconds since 1970; the time of the attempt, not of the event. */
  timestampSeconds: number;
}

export interface VerifySignatureOptions {
  payload: SignedPayload;
  /** Value of the signature header, as received. */
  header: string | null | undefined;
  /** Accepted secrets: the current one and, around a rotation, the previous one. */
  secrets: readonly string[];
  /** Largest distance between `t` and `nowSeconds`, in seconds, either way. `Infinity` accepts any age. */
  toleranceSeconds: number;
  /** The receiver's clock, in seconds since 1970; fractions are fine. */
  nowSeconds: number;
}

export type SignatureProblem =
  | 'missing_header'
  | 'malformed_header'
  | 'payload_not_raw'
  | 'no_match'
  | 'timestamp_too_old'
  | 'timestamp_in_future';

export type SignatureVerdict =
  | { valid: true; timestampSeconds: number }
  | {
      valid: false;
      reason: SignatureProblem;
      /** One sentence for people that says what is wrong. */
      detail: string;
    };

/** Default tolerance: five minutes. */
export const DEFAULT_SIGNATURE_TOLERANCE_SECONDS = 300;

const encoder = new TextEncoder();

/** Returns the HMAC-SHA256 of bytes; the key is the UTF-8 of the secret, which is not empty. */
export type Hmac = (secret: string, bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;

/** Returns `signPayload` with another implementation of HMAC than WebCrypto's, for senders of many deliveries. */
export function createSignPayload(hmac: Hmac): (options: SignPayloadOptions) => Promise<string> {
  return async ({ payload, secret, timestampSeconds }) => {
    if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
      throw new RangeError('timestampSeconds must be a whole number of seconds since 1970');
    }
    if (secret === '') throw new TypeError(EMPTY_SECRET);
    const t = String(timestampSeconds);
    return `t=${t},v1=${toHex(await hmac(secret, signedBytes(t, toBytes(payload))))}`;
  };
}

const EMPTY_SECRET = 'a signing secret must not be empty';

/**
 * Returns the signature header's value for a body.
 *
 * @throws RangeError when `timestampSeconds` is not a whole number of seconds since 1970
 * @throws TypeError when the secret is empty
 */
export function signPayload(options: SignPayloadOptions): Promise<string> {
  return signByWebCrypto(options);
}

const signByWebCrypto = createSignPayload(hmac);

/**
 * Verifies that the header signs this body with one of the secrets and that its timestamp is within the tolerance. Input of
 * the sender never makes it throw. The signature is checked before the age, so a timestamp reported as too old is genuine.
 *
 * @throws TypeError when there is no secret, or an empty one
 * @throws RangeError when the tolerance or the clock is not a number (NaN would accept any age)
 */
export async function verifySignature(options: VerifySignatureOptions): Promise<SignatureVerdict> {
  const { payload, header, secrets, toleranceSeconds, nowSeconds } = options;
  if (secrets.length === 0) throw new TypeError('at least one signing secret is needed');
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be 0 or more');
  if (!Number.isFinite(nowSeconds)) throw new RangeError('nowSeconds must be a number of seconds since 1970');

  if (!isRaw(payload)) {
    return refuse(
      'payload_not_raw',
      'The payload is not the raw body. Pass the bytes as they arrived, before any JSON parser.',
    );
  }
  if (header === null || header === undefined || header.trim() === '') {
    return refuse('missing_header', 'The request has no signature header.');
  }
  const parsed = parseSignatureHeader(header);
  if (typeof parsed === 'string') return refuse('malformed_header', parsed);

  const bytes = signedBytes(parsed.t, toBytes(payload));
  let matches = 0;
  for (const secret of secrets) {
    const expected = await hmac(secret, bytes);
    for (const candidate of parsed.signatures) matches |= equalBytes(expected, candidate);
  }
  if (matches === 0) {
    return refuse(
      'no_match',
      'No v1 signature fits this body: another secret signed it, or the body or timestamp was changed.',
    );
  }
  const timestampSeconds = Number(parsed.t);
  const ageSeconds = nowSeconds - timestampSeconds;
  if (ageSeconds > toleranceSeconds) {
    return refuse('timestamp_too_old', distance(ageSeconds, 'old', toleranceSeconds));
  }
  if (-ageSeconds > toleranceSeconds) {
    return refuse('timestamp_in_future', distance(-ageSeconds, 'ahead of this clock', toleranceSeconds));
  }
  return { valid: true, timestampSeconds };
}

function refuse(reason: SignatureProblem, detail: string): SignatureVerdict {
  return { valid: false, reason, detail };
}

function distance(seconds: number, which: string, toleranceSeconds: number): string {
  return `The signature is genuine, but ${Math.ceil(seconds)} s ${which}; the tolerance is ${toleranceSeconds} s.`;
}

interface ParsedHeader {
  /** As sent, because it is part of the signed bytes. */
  t: string;
  signatures: Uint8Array[];
}

/**
 * Returns the header's parts, or a sentence that says what is malformed.
 * @param names of the parts that hold a signature; other senders than this service use others
 */
export function parseSignatureHeader(header: string, names: readonly string[] = ['v1']): ParsedHeader | string {
  let t: string | undefined;
  let sawSignature = false;
  const signatures: Uint8Array[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    if (equals < 0) return 'The signature header is not a list of name=value parts.';
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (t !== undefined) return 'The signature header holds more than one t.';
      if (!/^(?:0|[1-9]\d{0,14})$/.test(value)) return 'The t of the signature header is not a number of seconds.';
      t = value;
    } else if (names.includes(name)) {
      sawSignature = true;
      const bytes = fromHex(value);
      if (bytes !== null) signatures.push(bytes);
    }
  }
  if (t === undefined) return 'The signature header has no t.';
  if (!sawSignature) return 'The signature header has no v1.';
  if (signatures.length === 0) return 'The v1 of the signature header is not 64 hexadecimal digits.';
  return { t, signatures };
}

async function hmac(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (secret === '') throw new TypeError(EMPTY_SECRET);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
}

/** Returns what is signed: the time, a dot and the body. */
export function signedBytes(t: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${t}.`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

/** Detects parsed objects, which callers without types may pass; they would be signed as `[object Object]`. */
function isRaw(payload: unknown): payload is SignedPayload {
  return typeof payload === 'string' || payload instanceof ArrayBuffer || payload instanceof Uint8Array;
}

function toBytes(payload: SignedPayload): Uint8Array {
  if (typeof payload === 'string') return encoder.encode(payload);
  return payload instanceof Uint8Array ? payload : new Uint8Array(payload);
}

/** Returns 1 when equal, else 0, in constant time for a given length. */
function equalBytes(a: Uint8Array, b: Uint8Array): 0 | 1 {
  if (a.length !== b.length) return 0;
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0 ? 1 : 0;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Decodes 64 hexadecimal digits of either case; returns null for other text. */
function fromHex(text: string): Uint8Array | null {
  if (!/^[\da-f]{64}$/i.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
}
