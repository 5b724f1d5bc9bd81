import {
  callAboutEntry,
  idOf,
  notUnderstood,
  REMOVED,
  removeOneByOne,
  rowsOf,
  toRemoval,
  withoutSuspects,
} from './remove-entries.ts';
import { addOneByOne, type SequencerCallOptions } from './sequencer-call.ts';
import type { BlocklistConnector, BlocklistFailure } from './types.ts';

/**
 * EmailBison has one list of addresses and one of domains per workspace, which the token identifies, and an instance per customer: the
 * block list names its address, or the installation has one for all lists. A call adds one entry. An entry that the list has is refused
 * with 422 and "already been taken", as public integrations found; this is no failure. The documentation names no limit of calls.
 *
 * An entry is removed by its id, which a request by the entry itself gives (the vendor's reference, dedi.emailbison.com/api/reference, as
 * public copies had it in 2026).
 */
const BATCH_MAX = 50;
const REMOVAL = { batchMax: 20, pauseMs: 2_000 };

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
  const noInstance: BlocklistFailure = {
    message: 'the list names no instance of EmailBison: name it (svc-server blocklists update --instance-url)',
    retry: 'never',
  };
  return {
    batchMax: BATCH_MAX,
    async addEntries({ token, instanceUrl, blockType, values }) {
      const options = callOptionsFor(instanceUrl);
      if (options === null) return { added: [], refused: [], failure: noInstance };
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
    removal: REMOVAL,
    async removeEntries({ token, instanceUrl, blockType, values }) {
      const options = callOptionsFor(instanceUrl);
      if (options === null) return { removed: [], refused: [], failure: noInstance };
      const path = blockType === 'DOMAIN' ? '/api/blacklisted-domains' : '/api/blacklisted-emails';
      return removeOneByOne(options, values, async (value) => {
        const call = (method: 'GET' | 'DELETE', part: string) =>
          callAboutEntry(options, value, {
            ...{ platform: 'EmailBison', token, method, path: `${path}/${encodeURIComponent(part)}`, absent: [404] },
            headers: { Authorization: `Bearer ${token}` },
          });
        const found = await call('GET', value);
        if (found.status === 'absent') return REMOVED;
        if (found.status === 'error') return { status: 'failed', failure: withoutSuspects(found.failure) };
        const id = idOf(rowsOf([rowsOf([found.body])[0]?.['data']])[0]?.['id']);
        return id === null ? notUnderstood('EmailBison') : toRemoval(await call('DELETE', id));
      });
    },
  };
}
