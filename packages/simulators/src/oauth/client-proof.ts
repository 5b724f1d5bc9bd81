/** By what a client proves itself: its id and secret, or an assertion that its key signed. */
import { createPublicKey, verify } from 'node:crypto';
import type { SimulatedRequest } from '../http/server.ts';
import type { OauthDialect, OauthFailure, SimulatedClient } from './types.ts';

export interface ClientProof {
  id: string;
  secret: string | null;
}

/** Reads the client's id and secret from the place that the vendor takes them from; null when they are not there. */
export function readClientProof(
  { headers }: SimulatedRequest,
  form: URLSearchParams,
  clientProof: OauthDialect['clientProof'],
): ClientProof | null {
  const basic = /^Basic ([a-z\d+/=]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic !== undefined && clientProof !== 'body') {
    const [id = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
    return { id, secret: secret.join(':') };
  }
  const id = form.get('client_id');
  if (clientProof === 'basic' || id === null) return null;
  return { id, secret: form.get('client_secret') };
}

/** Returns the client if its proof is right. Without registered clients, every client with a secret is accepted, also for client credentials. */
export function findClient(
  clients: readonly SimulatedClient[] | 'any',
  proof: ClientProof | null,
): SimulatedClient | null {
  if (proof === null) return null;
  if (clients === 'any') return { id: proof.id, secret: proof.secret ?? '', hasRunAsUser: true };
  return clients.find(({ id, secret }) => id === proof.id && secret === proof.secret) ?? null;
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The vendor accepts assertions that end within three minutes, and clocks that differ by a little. */
const LIFETIME_MAX_SECONDS = 5 * 60;

/** Checks an RS256 assertion as Salesforce does; returns its client and user, or why it is refused. */
export function readAssertion(
  assertion: string,
  { clients, audiences, now }: { clients: readonly SimulatedClient[]; audiences: readonly string[]; now: Date },
): { client: SimulatedClient; username: string } | OauthFailure {
  const [head = '', payload = '', signature = ''] = assertion.split('.');
  const header = parsePart(head);
  const claims = parsePart(payload);
  const client = clients.find(({ id }) => id === claims['iss']);
  if (client?.jwtPublicKey === undefined || header['alg'] !== 'RS256') return 'invalid_client';
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${payload}`),
    createPublicKey(client.jwtPublicKey),
    Buffer.from(signature, 'base64url'),
  );
  const { sub, aud, exp } = claims;
  const secondsLeft = typeof exp === 'number' ? exp - now.getTime() / 1_000 : 0;
  const isCurrent = secondsLeft > 0 && secondsLeft <= LIFETIME_MAX_SECONDS;
  if (!isSigned || !isCurrent || typeof aud !== 'string' || !audiences.includes(aud)) return 'invalid_code';
  if (typeof sub !== 'string' || client.approvedUsers?.includes(sub) !== true) return 'user_not_approved';
  return { client, username: sub };
}

function parsePart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}
