import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@svc/sdk';
import { readEnvironment, readFolder } from '../../config/environment.ts';
import { readProfiles } from '../../config/profiles.ts';
import { readSettings } from '../../config/settings.ts';
import { resolveCredentials } from '../../config/credentials.ts';
import { createFetch } from '../../command/create-fetch.ts';
import { isRecord } from '../../format/fields.ts';
import type { Candidate, IdKind, Position } from './cursor-position.ts';

/** Time limit for completion. */
const TIMEOUT_MS = 1500;
/** How long the cache answers for the service. */
const TTL_MS = 60_000;
const ENTRIES_MAX = 20;

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

interface Entry {
  readonly atMs: number;
  readonly candidates: readonly Candidate[];
}

/** Cache of ids for repeated completions. Failures of the cache are ignored. */
interface IdCache {
  get(): readonly Candidate[] | null;
  set(candidates: readonly Candidate[]): void;
}

/** @param owner address, key and kind, which identify the entry */
function openIdCache(folder: string, owner: readonly string[], nowMs: number): IdCache {
  const file = join(folder, 'completion.json');
  const name = createHash('sha256').update(owner.join('\n')).digest('hex');
  const entries = readEntries(file).filter(([, { atMs }]) => atMs <= nowMs && nowMs - atMs < TTL_MS);
  return {
    get: () => entries.find(([key]) => key === name)?.[1].candidates ?? null,
    set(candidates) {
      const kept = entries.filter(([key]) => key !== name).slice(1 - ENTRIES_MAX);
      const text = JSON.stringify(Object.fromEntries([...kept, [name, { atMs: nowMs, candidates }]]));
      const partial = `${file}.${randomBytes(4).toString('hex')}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(partial, text, { mode: 0o600 });
        renameSync(partial, file);
      } catch {
        // The ids are fetched again next time.
      }
    },
  };
}

function readEntries(file: string): [string, Entry][] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(value) ? Object.entries(value).flatMap(([name, entry]) => toEntry(name, entry)) : [];
  } catch {
    return [];
  }
}

function toEntry(name: string, value: unknown): [string, Entry][] {
  if (!isRecord(value) || typeof value.atMs !== 'number' || !Array.isArray(value.candidates)) return [];
  const candidates = value.candidates.filter(isCandidate);
  return [[name, { atMs: value.atMs, candidates }]];
}

function isCandidate(value: unknown): value is Candidate {
  return isRecord(value) && typeof value.value === 'string' && typeof value.description === 'string';
}
