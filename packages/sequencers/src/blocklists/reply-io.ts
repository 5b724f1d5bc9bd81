import { idOf, isSameEntry, rowsOf, withoutSuspects } from './remove-entries.ts';
import { callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type {
  BlocklistBatch,
  BlocklistConnector,
  BlocklistFailure,
  BlocklistOutcome,
  RemovalOutcome,
} from './types.ts';

/**
 * Reply.io has a list of addresses and one of domains per team, which the API key identifies. A bulk call has a result per entry, in
 * their order, and accepts some while it refuses others. The documentation names no maximum of entries per call.
 *
 * Entries are removed by their ids in one call, which answers with a map of those that it did not remove
 * (docs.reply.io/api-reference, `contact-blacklist-rules/emails/bulk-delete`, read November 2026; that of domains and the list with the ids
 * as public integrations call them). Nothing finds an entry by itself, so the whole list is read for each batch; a user may make 100 calls
 * a minute.
 */
const BATCH_MAX = 100;
const REMOVAL = { batchMax: 500, pauseMs: 60_000 };
const PAGE = 500;
const PAGES_MAX = 80;

const PATHS = {
  ADDRESS: '/v3/contact-blacklist-rules/emails',
  DOMAIN: '/v3/contact-blacklist-rules/domains',
} as const;

/** Values of `error` in the result of an entry. */
const DUPLICATE = 2;
/** The same of a removal. */
const NOT_FOUND = 1;
const GLOBAL_RULE = 3;
const INVALID_PATTERN = 4;

export function createReplyIoBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    async addEntries({ token, blockType, values }) {
      const answer = await callSequencer(options, {
        platform: 'Reply.io',
        path: `${PATHS[blockType]}/bulk`,
        headers: { Authorization: `Bearer ${token}` },
        body: values.map((pattern) => ({ pattern })),
        token,
        values,
      });
      if (answer.status === 'error') return { added: [], refused: [], failure: answer.failure };
      return readResults(values, answer.body);
    },
    removal: REMOVAL,
    removeEntries: (batch) => removeRules(options, batch),
  };
}

async function removeRules(
  options: SequencerCallOptions,
  { token, blockType, values }: BlocklistBatch,
): Promise<RemovalOutcome> {
  const call = { platform: 'Reply.io', headers: { Authorization: `Bearer ${token}` }, token, values };
  const failed = (failure: BlocklistFailure): RemovalOutcome => ({ removed: [], refused: [], failure });
  const notUnderstood = failed({
    message: 'Reply.io gave an answer about its blacklist that this release does not understand',
    retry: 'never',
  });
  /** The values of the rules by id, and those that the team cannot change. */
  const found = new Map<string, string>();
  const refused: string[] = [];
  for (let page = 0, hasMore = true; hasMore; page += 1) {
    if (page === PAGES_MAX) {
      const message = `the blacklist of Reply.io has more than ${PAGES_MAX * PAGE} entries: remove them there`;
      return failed({ message, retry: 'never' });
    }
    const path = `${PATHS[blockType]}?top=${PAGE}&skip=${page * PAGE}`;
    const answer = await callSequencer(options, { ...call, method: 'GET', path });
    if (answer.status === 'error') return failed(withoutSuspects(answer.failure));
    const { items, hasMore: more } = rowsOf([answer.body])[0] ?? {};
    if (!Array.isArray(items)) return notUnderstood;
    for (const { id, pattern, isGlobal } of rowsOf(items)) {
      const value = values.find((wanted) => isSameEntry(pattern, wanted));
      const ruleId = idOf(id);
      if (value === undefined || ruleId === null) continue;
      if (isGlobal === true) refused.push(value);
      else found.set(ruleId, value);
    }
    hasMore = more === true && items.length > 0;
  }
  const absent = values.filter((value) => !refused.includes(value) && ![...found.values()].includes(value));
  if (found.size === 0) return { removed: absent, refused, failure: null };
  const body = { ids: [...found.keys()].map(Number) };
  const answer = await callSequencer(options, { ...call, path: `${PATHS[blockType]}/bulk-delete`, body });
  if (answer.status === 'error') return { removed: absent, refused, failure: withoutSuspects(answer.failure) };
  const errors = rowsOf([answer.body])[0] ?? {};
  const open = new Set<string>();
  for (const [id, value] of found) {
    const reported = errors[id];
    const error = errorOf(reported) ?? reported;
    if (error === undefined || error === null || error === NOT_FOUND) continue;
    if (error === GLOBAL_RULE) refused.push(value);
    else open.add(value);
  }
  const removed = values.filter((value) => !refused.includes(value) && !open.has(value));
  const message = `Reply.io did not remove ${open.size} of ${values.length} entries`;
  return { removed, refused, failure: open.size === 0 ? null : { message, retry: { afterMs: null } } };
}

function readResults(values: readonly string[], body: unknown): BlocklistOutcome {
  const results: readonly unknown[] = Array.isArray(body) ? body : [];
  if (results.length !== values.length) {
    const message = `Reply.io answered with ${results.length} results for ${values.length} entries`;
    return { added: [], refused: [], failure: { message, retry: { afterMs: null } } };
  }
  const errors = results.map(errorOf);
  const withError = (accepts: (error: unknown) => boolean) => values.filter((_value, index) => accepts(errors[index]));
  const added = withError((error) => error === null || error === DUPLICATE);
  const refused = withError((error) => error === INVALID_PATTERN);
  const openCount = values.length - added.length - refused.length;
  const message = `Reply.io did not add ${openCount} of ${values.length} entries`;
  return { added, refused, failure: openCount === 0 ? null : { message, retry: { afterMs: null } } };
}

/** Returns the error of a result; null for none, undefined when it is no result. */
function errorOf(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return undefined;
  return 'error' in result ? result.error : null;
}
