/**
 * Hides secrets in what operators look at: headers, and the values of fields and query parameters whose names say that
 * they are secrets (`SECRET_NAME`).
 */
import { SECRET_NAME } from '@svc/domain/values/secret-names';

const HIDDEN = '[hidden]';

/** Headers, and parameters of the URL, that identify an event and hold no secret. The value of any other one is hidden. */
const SHOWN_HEADER = /^(content-type|user-agent|x-request-id|x-[a-z0-9-]*event[a-z0-9-]*|\?[\w-]*event[\w-]*)$/;

/** A payload may be nested far deeper than any sequencer's, and printing it must not fail. */
const DEPTH_MAX = 50;

export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isShown = SHOWN_HEADER.test(name) && !SECRET_NAME.test(name);
      return [name, isShown ? redactText(value, []) : HIDDEN];
    }),
  );
}

/**
 * Returns a copy of a parsed payload without its secrets. What is nested deeper than 50 levels is left out.
 *
 * @param secrets texts that are secret wherever they are
 */
export function redactPayload(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => redactPayload(item, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isSecret = SECRET_NAME.test(name) && inner !== null && typeof inner !== 'boolean';
      return [redactText(name, secrets), isSecret ? HIDDEN : redactPayload(inner, secrets, depth + 1)];
    }),
  );
}

function redactText(text: string, secrets: readonly string[]): string {
  const named = text.replaceAll(
    /([?&;])([\w.%-]+)=([^&;#\s"'<>]+)/g,
    (pair: string, separator: string, name: string) =>
      SECRET_NAME.test(name) ? `${separator}${name}=${HIDDEN}` : pair,
  );
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, HIDDEN), named);
}
