import { type Client, createClient } from '@svc/sdk';
import { readEnvironment, readFolder } from '../../config/environment.ts';
import { readProfiles } from '../../config/profiles.ts';
import { readSettings } from '../../config/settings.ts';
import { resolveCredentials } from '../../config/credentials.ts';
import { createFetch } from '../../command/create-fetch.ts';
import type { Candidate, IdKind, Position } from './cursor-position.ts';
import { openIdCache } from './id-cache.ts';

/** Time limit for completion. */
const TIMEOUT_MS = 1500;

/** Returns ids from the cache or the service, with the credentials that the typed command would use. */
export async function findIds(of: IdKind, flags: Position['credentials']): Promise<readonly Candidate[]> {
  const configDir = readFolder('config');
  const { apiKey, baseUrl } = resolveCredentials(
    flags,
    readEnvironment(),
    () => readProfiles(configDir),
    readSettings(configDir),
  );
  if (apiKey === null) return [];
  const cache = openIdCache(readFolder('cache'), [baseUrl, apiKey, of], Date.now());
  const cached = cache.get();
  if (cached !== null) return cached;
  const client = createClient({ baseUrl, apiKey, timeoutMs: TIMEOUT_MS, maxRetries: 0, fetch: createFetch(baseUrl) });
  const candidates = await fetchIds(client, of);
  cache.set(candidates);
  return candidates;
}

/** Fetches ids with descriptions. */
async function fetchIds(client: Client, of: IdKind): Promise<Candidate[]> {
  switch (of) {
    case 'connections': {
      const { connections } = await client.connections.list();
      return connections.map(({ id, crm, organizationDomain }) => toCandidate(id, `${crm} ${organizationDomain}`));
    }
    case 'sources': {
      const { sources } = await client.sources.list();
      return sources.map(({ id, platform, crm }) => toCandidate(id, `${platform} to ${crm}`));
    }
    case 'destinations': {
      const { destinations } = await client.destinations.list();
      return destinations.map(({ id, url, description }) => toCandidate(id, description || url));
    }
    case 'blocklists': {
      const { blocklists } = await client.blocklists.list();
      return blocklists.map(({ id, listName, platform }) => toCandidate(id, `${listName} to ${platform}`));
    }
    case 'webhooks': {
      const { webhooks } = await client.webhooks.list();
      return webhooks.map(({ id, url, description }) => toCandidate(id, description || url));
    }
  }
}

function toCandidate(id: number | string, description: string): Candidate {
  return { value: String(id), description };
}
