import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../format/fields.ts';
import type { Candidate } from './cursor-position.ts';

const TTL_MS = 60_000;
const ENTRIES_MAX = 20;

interface Entry {
  readonly atMs: number;
  readonly candidates: readonly Candidate[];
}

/** Cache of ids for repeated completions. Failures of the cache are ignored. */
export interface IdCache {
  get(): readonly Candidate[] | null;
  set(candidates: readonly Candidate[]): void;
}

/** @param owner address, key and kind, which identify the entry */
export function openIdCache(folder: string, owner: readonly string[], nowMs: number): IdCache {
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
