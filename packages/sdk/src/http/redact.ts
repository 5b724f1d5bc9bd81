export type Redact = (text: string) => string;

/** Replaces each of the given secrets, wherever it occurs. */
export function createRedact(secrets: readonly string[]): Redact {
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text);
}
