import { callSequencer, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector, BlocklistOutcome } from './types.ts';

/**
 * Reply.io has a list of addresses and one of domains per team, which the API key identifies. A bulk call has a result per entry, in
 * their order, and accepts some while it refuses others. The documentation names no maximum of entries per call.
 */
const BATCH_MAX = 100;

const PATHS = {
  ADDRESS: '/v3/contact-blacklist-rules/emails/bulk',
  DOMAIN: '/v3/contact-blacklist-rules/domains/bulk',
} as const;

/** Values of `error` in the result of an entry. */
const DUPLICATE = 2;
const INVALID_PATTERN = 4;

export function createReplyIoBlocklist(options: SequencerCallOptions): BlocklistConnector {
  return {
    batchMax: BATCH_MAX,
    async addEntries({ token, blockType, values }) {
      const answer = await callSequencer(options, {
        platform: 'Reply.io',
        path: PATHS[blockType],
        headers: { Authorization: `Bearer ${token}` },
        body: values.map((pattern) => ({ pattern })),
        token,
        values,
      });
      if (answer.status === 'error') return { added: [], refused: [], failure: answer.failure };
      return readResults(values, answer.body);
    },
  };
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
