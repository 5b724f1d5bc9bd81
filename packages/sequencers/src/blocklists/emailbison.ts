import { addOneByOne, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector } from './types.ts';

/**
 * EmailBison has one list of addresses and one of domains per workspace, which the token identifies, and an instance per customer: the
 * block list names its address, or the installation has one for all lists. A call adds one entry. An entry that the list has is refused
 * with 422 and "already been taken", as public integrations found; this is no failure. The documentation names no limit of calls.
 */
const BATCH_MAX = 50;

export interface EmailbisonBlocklistOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** The instance of lists that name none; undefined when every list has to name one. */
  baseUrl: string | undefined;
  /** For addresses that customers choose: calls public addresses only. */
  guardedFetch: typeof globalThis.fetch;
}

export function createEmailbisonBlocklist({
  baseUrl,
  guardedFetch,
  ...shared
}: EmailbisonBlocklistOptions): BlocklistConnector {
  const callOptionsFor = (instanceUrl: string | null): SequencerCallOptions | null => {
    if (instanceUrl !== null) return { ...shared, fetch: guardedFetch, baseUrl: instanceUrl };
    return baseUrl === undefined ? null : { ...shared, baseUrl };
  };
  return {
    batchMax: BATCH_MAX,
    async addEntries({ token, instanceUrl, blockType, values }) {
      const options = callOptionsFor(instanceUrl);
      if (options === null) {
        const message =
          'the list names no instance of EmailBison: name it (svc-server blocklists update --instance-url)';
        return { added: [], refused: [], failure: { message, retry: 'never' } };
      }
      return addOneByOne(options, values, (value) => ({
        platform: 'EmailBison',
        ...(blockType === 'DOMAIN'
          ? { path: '/api/blacklisted-domains', body: { domain: value } }
          : { path: '/api/blacklisted-emails', body: { email: value } }),
        headers: { Authorization: `Bearer ${token}` },
        token,
        isPresent: (status, text) => status === 422 && /already been taken/i.test(text),
      }));
    },
  };
}
