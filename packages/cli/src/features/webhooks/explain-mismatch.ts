import { PREFIXES } from '@svc/contract/vocabulary';
import { signWebhook } from '@svc/sdk/webhooks';

export interface Mismatch {
  readonly body: Uint8Array;
  readonly header: string;
  readonly secrets: readonly string[];
  readonly timestampSeconds: number;
}

/**
 * Explains why a signature fits none of the secrets. Undoes common changes to bodies and secrets one at a time and checks
 * whether the signature fits then. Returns null if there is nothing to add to the SDK's message.
 */
export async function explainMismatch({ body, header, secrets, timestampSeconds }: Mismatch): Promise<string | null> {
  const signatures = [...header.matchAll(/v1\s*=\s*([\da-f]{64})/gi)].map(([, hex = '']) => hex.toLowerCase());
  const fits = async (payload: Uint8Array, secret: string) => {
    const signed = await signWebhook({ payload, secret, timestampSeconds });
    return signatures.includes(signed.slice(signed.indexOf('v1=') + 3));
  };
  for (const [changed, what] of bodyVariants(body)) {
    for (const secret of secrets) if (await fits(changed, secret)) return `The signature fits ${what}`;
  }
  for (const secret of secrets) {
    for (const [changed, what] of secretVariants(secret)) if (await fits(body, changed)) return what;
  }
  return suggestCheck(body, secrets);
}

type Variant<T> = readonly [changed: T, what: string];

const BOM = [0xef, 0xbb, 0xbf];

function bodyVariants(body: Uint8Array): Variant<Uint8Array>[] {
  const text = decode(body);
  const hasBom = BOM.every((byte, index) => body[index] === byte);
  const bytes: Variant<Uint8Array>[] = [
    hasBom
      ? [body.subarray(3), 'the body without the byte order mark at its beginning, which was added on the way.']
      : [Uint8Array.of(...BOM, ...body), 'the body with a byte order mark, which was removed on the way.'],
  ];
  if (text === null) return bytes;
  const texts: Variant<string>[] = [
    [
      text.replace(/\r?\n$/, ''),
      'the body without the line break at its end, which an editor or `echo` adds: use `printf %s`.',
    ],
    [`${text}\n`, 'the body with a line break at its end, which was removed on the way.'],
    [text.replaceAll('\r\n', '\n'), 'the body with Unix line breaks: LF was changed to CRLF on the way.'],
    [text.replaceAll(/\r?\n/g, '\r\n'), 'the body with Windows line breaks: CRLF was changed to LF on the way.'],
    [rewrite(text), 'the same JSON without spaces: it was parsed and written again. Keep the raw bytes.'],
  ];
  const encoder = new TextEncoder();
  return [
    ...bytes,
    ...texts.filter(([changed]) => changed !== text).map(([changed, what]) => [encoder.encode(changed), what] as const),
  ];
}

function secretVariants(secret: string): Variant<string>[] {
  const prefix = PREFIXES.webhookSecret;
  const unquoted = secret.trim().replace(/^(["'])(.*)\1$/, '$2');
  const variants: Variant<string>[] = [
    [secret.trim(), 'The signature fits the secret without the white space around it.'],
    [unquoted, 'The signature fits the secret without the quotes around it.'],
    [`${prefix}${secret}`, `The signature fits the secret with the prefix ${prefix}, which is part of it.`],
    [secret.toLowerCase(), 'The signature fits the secret in lower case.'],
  ];
  return variants.filter(([changed]) => changed !== secret && changed !== '');
}

function suggestCheck(body: Uint8Array, secrets: readonly string[]): string | null {
  // The SDK's message explains malformed secrets.
  if (!secrets.some((secret) => secret.trim() === secret && secret.startsWith(PREFIXES.webhookSecret))) return null;
  const text = decode(body);
  const isRewritten = text !== null && rewrite(text) !== text;
  const form = isRewritten ? ' (it contains spaces or line breaks, like reformatted JSON)' : '';
  return `Check that the secret is the current one of this webhook, and that the body has the received bytes, not parsed and written again${form}.`;
}

/** Returns JSON without spaces; other text unchanged. */
function rewrite(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns null if the body is not UTF-8. */
function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}
