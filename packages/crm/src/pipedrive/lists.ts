import { asList, asObject, asText } from '../http/answer-values.ts';
import type { BlockType } from '@svc/contract/vocabulary';
import { toBlockedAddress, toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { toBusinessDomain } from '../events/business-domain.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmListPage, CrmListRead } from '../port/types.ts';
import { type PipedriveClient, readPages } from './client.ts';

/**
 * Reads a filter of Pipedrive as the source of a block list.
 *
 * 1. The filter says whether it selects persons or organizations; other types have neither address nor domain. 2. The
 * records come in pages of 500. 3. ADDRESS uses all addresses of a person; DOMAIN the website of an organization, or the
 * domains of a person's addresses. Free mail hosts are omitted, because blocking one would block everybody with an
 * address there.
 *
 * Calls: one for the filter, then one per 500 records.
 */
const MEMBERS = { people: 'persons', org: 'organizations' } as const;
type Members = (typeof MEMBERS)[keyof typeof MEMBERS];

const NO_FILTER_ID = { code: 'list_not_usable', message: 'the id of a Pipedrive filter is a number', httpStatus: null };

/** @throws CrmFailure */
export async function* readList(
  client: PipedriveClient,
  { listId, blockType, cursor }: Omit<CrmListRead, 'access'>,
): AsyncGenerator<CrmListPage> {
  // Prevents any other path.
  if (!/^\d{1,15}$/.test(listId)) throw new CrmFailure(NO_FILTER_ID, NEVER);
  const members = await readMembersType(client, listId, blockType);
  const path = `/api/v2/${members}?filter_id=${listId}&limit=500&sort_by=id`;
  const call = { operation: 'filters', path, part: 'the members of the filter' } as const;
  for await (const page of readPages(client, call, cursor)) {
    const values = page.items.flatMap((item) => toValues(asObject(item), members, blockType));
    yield { status: 'page', values: [...new Set(values)], cursor: page.cursor };
  }
}

async function readMembersType(client: PipedriveClient, listId: string, blockType: BlockType): Promise<Members> {
  const path = `/api/v1/filters/${listId}`;
  const { data } = await client.call({ operation: 'filters', method: 'GET', path, kind: 'get', part: 'the filter' });
  const { type } = asObject(data);
  if (type === 'people') return MEMBERS.people;
  if (type === 'org' && blockType === 'DOMAIN') return MEMBERS.org;
  const message =
    type === 'org'
      ? 'it selects organizations, which have no email address: use a filter of people, or block domains'
      : 'it selects neither people nor organizations';
  throw new CrmFailure(
    { code: 'list_not_usable', message: `Pipedrive has the filter, but ${message}`, httpStatus: 200 },
    NEVER,
  );
}

function toValues(record: Readonly<Record<string, unknown>>, members: Members, blockType: BlockType): string[] {
  if (members === 'organizations') {
    const domain = toBusinessDomain(toBlockedDomain(asText(record['website']) ?? ''), null);
    return domain === null ? [] : [domain];
  }
  return asList(record['emails']).flatMap((item) => {
    const address = toBlockedAddress(asText(asObject(item)['value']) ?? '');
    return (blockType === 'ADDRESS' ? address : toBusinessDomain(null, address)) ?? [];
  });
}
