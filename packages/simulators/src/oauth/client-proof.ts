import type { SimulatedRequest } from '../http/server.ts';
import type { OauthDialect, SimulatedClient } from './types.ts';

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
