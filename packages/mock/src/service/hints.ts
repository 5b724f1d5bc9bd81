/** Explains answers that often puzzle the author of a test. Hints go into a header, the journal and the log, never into a body. */
import { parseInstant } from '@svc/domain/requests/date-range';
import { looksLikeApiKey } from '@svc/domain/values/resource-ids';
import type { ApiKeyRow } from '@svc/domain/world';
import type { JournalEntry } from '../state/traffic.ts';
import type { World } from '../state/world.ts';
import { shortenKey } from './shorten-key.ts';
import { worldIdOf } from './worlds.ts';

/** Header of an answer that has a hint. */
export const HINT_HEADER = 'Svc-Mock-Hint';

export interface AnsweredCall {
  readonly world: World;
  readonly now: Date;
  readonly authorization: string | undefined;
  readonly query: JournalEntry['query'];
  /** Whether the operation has a range (`from` and `to`). */
  readonly hasRange: boolean;
  readonly isApiCall: boolean;
  /** The most similar route when none matched. */
  readonly nearestRoute: string | null;
  readonly status: number;
}

/** Returns the reason for an answer that no fault made, or null. It holds no key in full. */
export function reasonFor(call: AnsweredCall): string | null {
  const { status, isApiCall, nearestRoute, hasRange } = call;
  if (status === 401 && isApiCall) return describeSentKey(call);
  if (status === 404 && nearestRoute !== null) return `No operation matched. The nearest is ${nearestRoute}.`;
  return status === 200 && hasRange ? describeRange(call) : null;
}

/** Returns the hint that is sent, in ASCII as headers are: the reason, and for a refused key the world's valid ones. */
export function toHint(reason: string, { world, status }: Pick<AnsweredCall, 'world' | 'status'>): string {
  return (status === 401 ? `${reason} ${listKeys(world)}` : reason).replaceAll(/[^ -~]/g, '?');
}

function describeSentKey({ world, authorization }: AnsweredCall): string {
  if (authorization === undefined) return 'No key was sent: send the header Authorization: Bearer KEY.';
  const [, token] = /^bearer +([^\s,]+) *$/i.exec(authorization) ?? [];
  if (token === undefined) return 'Authorization must be: Bearer KEY.';
  const own = world.state.data.apiKeys.find((key) => key.token === token);
  if (own !== undefined) return `The key "${own.name}" is ${own.revokedAt === null ? 'rotated' : 'revoked'}.`;
  const worldId = worldIdOf(token, [world, ...world.others()]);
  if (worldId !== null) return `The key is one of world "${worldId}", which does not exist (any more).`;
  const { keyPrefix } = world.branding;
  const form = looksLikeApiKey(token, keyPrefix) ? '' : ` and does not begin with ${keyPrefix}`;
  return `The key ${shortenKey(token)} is not one of this mock${form}.`;
}

const LISTED_MAX = 12;

function listKeys({ id, state }: World): string {
  const tokens = state.data.apiKeys.filter(isValid).map(({ token }) => token);
  if (tokens.length === 0) return `World "${id}" has no valid keys.`;
  const rest = tokens.length - LISTED_MAX;
  return `Keys of world "${id}": ${tokens.slice(0, LISTED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

function isValid({ revokedAt, rotatedAt }: ApiKeyRow): boolean {
  return revokedAt === null && rotatedAt === null;
}

function describeRange({ world, now, query }: AnsweredCall): string | null {
  const from = parseInstant('from', query['from']);
  if (from <= now) return null;
  const clock = world.state.clock.mode === 'frozen' ? 'is frozen at' : 'shows only';
  return `The range begins at ${from.toISOString()}, but the clock of world "${world.id}" ${clock} ${now.toISOString()}: nothing has happened in the range yet. Ask for an earlier range, or move the clock (POST /__svc/clock, option --now).`;
}
