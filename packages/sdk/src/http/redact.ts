export type Redact = (text: string) => string;

/** Returns a function that replaces every occurrence of the secrets. */
export function createRedact(secrets: readonly string[]): Redact {
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text);
}
