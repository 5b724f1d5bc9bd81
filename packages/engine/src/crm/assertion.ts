import { sign } from 'node:crypto';

/** Lifetime of an assertion; Salesforce accepts three minutes. */
const ASSERTION_SECONDS = 150;

/**
 * Returns a signed assertion of Salesforce's JWT bearer flow (RS256).
 *
 * @param options.privateKey PEM of an RSA key
 * @throws Error when it is no key
 */
export function signAssertion(options: {
  clientId: string;
  username: string;
  audience: string;
  privateKey: string;
  now: Date;
}): string {
  const { clientId, username, audience, privateKey, now } = options;
  const exp = Math.floor(now.getTime() / 1_000) + ASSERTION_SECONDS;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss: clientId, sub: username, aud: audience, exp })}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
