import { asList, asObject } from '../http/answer-values.ts';
import type { BlockType } from '@svc/contract/vocabulary';
import { toBlockedAddress, toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { toBusinessDomain } from '../events/business-domain.ts';
import { CrmFailure, NEVER, RETRY } from '../http/http-failure.ts';
import { sendInChunks } from './batches.ts';
import { type HubspotClient, unexpected } from './client.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import type { CrmListPage, CrmListRead } from '../port/types.ts';

/**
 * Reads a CRM list as the source of a block list.
 *
 * 1. The list says whether its members are contacts or companies; other types have neither address nor domain. 2.
 * Memberships come page by page, ordered by record id. Search cannot read a list, because it refuses results beyond
 * 10,000. 3. The records of a page are read in batches. A record that was deleted meanwhile is skipped. 4. ADDRESS uses
 * the contact's email; DOMAIN the company's domain, or that of the contact's email. Free mail hosts are omitted,
 * because blocking one would block everybody with an address there.
 *
 * Calls: one for the list, then three per 200 members.
 */
const MEMBERS = { contacts: '0-1', companies: '0-2' } as const;
type Members = keyof typeof MEMBERS;

const PAGE_SIZE = 200;
const NO_LIST_ID = { code: 'list_not_usable', message: 'the id of a HubSpot list is a number', httpStatus: null };
const LIST = 'the list';
const MEMBERSHIPS = 'the members of the list';

/** @throws CrmFailure */
export async function* readList(
  client: HubspotClient,
  { listId, blockType, cursor }: Omit<CrmListRead, 'access'>,
): AsyncGenerator<CrmListPage> {
  // Prevents any other path.
  if (!/^\d{1,20}$/.test(listId)) throw new CrmFailure(NO_LIST_ID, NEVER);
  const members = await readMembersType(client, listId, blockType);
  let after = cursor;
  do {
    const page = await readMemberships(client, listId, after);
    const values = await sendInChunks(page.recordIds, (ids) => readValues(client, { members, ids, blockType }));
    after = page.after;
    yield { status: 'page', values: [...new Set(values)], cursor: after };
  } while (after !== null);
}

async function readMembersType(client: HubspotClient, listId: string, blockType: BlockType): Promise<Members> {
  const { body } = await client.call({
    operation: 'lists',
    method: 'GET',
    path: HUBSPOT_PATHS.list(listId),
    part: LIST,
  });
  const { objectTypeId } = asObject(asObject(body)['list']);
  if (objectTypeId === MEMBERS.contacts) return 'contacts';
  if (objectTypeId === MEMBERS.companies && blockType === 'DOMAIN') return 'companies';
  if (typeof objectTypeId !== 'string') throw unexpected(LIST);
  const message =
    objectTypeId === MEMBERS.companies
      ? 'it is a list of companies, which have no email address: use a list of contacts, or block domains'
      : 'its members are neither contacts nor companies';
  throw new CrmFailure(
    { code: 'list_not_usable', message: `HubSpot has the list, but ${message}`, httpStatus: 200 },
    NEVER,
  );
}

async function readMemberships(
  client: HubspotClient,
  listId: string,
  after: string | null,
): Promise<{ recordIds: string[]; after: string | null }> {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(after === null ? {} : { after }) });
  const { body } = await client.call({
    operation: 'lists',
    method: 'GET',
    path: `${HUBSPOT_PATHS.listMembers(listId)}?${query}`,
    part: MEMBERSHIPS,
  });
  const { results, paging } = asObject(body);
  if (!Array.isArray(results)) throw unexpected(MEMBERSHIPS);
  const recordIds = results.map((item) => asObject(item)['recordId']).filter(isText);
  const next = asObject(asObject(paging)['next'])['after'];
  return { recordIds, after: isText(next) ? next : null };
}

async function readValues(
  client: HubspotClient,
  { members, ids, blockType }: { members: Members; ids: readonly string[]; blockType: BlockType },
): Promise<string[]> {
  const property = members === 'companies' ? 'domain' : 'email';
  const part = `the ${members} of the list`;
  const { body } = await client.call({
    operation: 'lists',
    method: 'POST',
    path: HUBSPOT_PATHS.readRecords(members),
    body: { inputs: ids.map((id) => ({ id })), properties: [property], propertiesWithHistory: [] },
    part,
  });
  const { results, errors } = asObject(body);
  if (!Array.isArray(results)) throw unexpected(part);
  // A member that is only not read now would look as if it had left the list.
  const unread = asList(errors).find((error) => asObject(error)['category'] !== 'OBJECT_NOT_FOUND');
  if (unread !== undefined) throw new CrmFailure(client.itemFailure(part, unread).error, RETRY);
  return results.flatMap((record) => {
    const text = asObject(asObject(record)['properties'])[property];
    const value = isText(text) ? toValue(text, members, blockType) : null;
    return value === null ? [] : [value];
  });
}

function toValue(text: string, members: Members, blockType: BlockType): string | null {
  if (members === 'companies') return toBusinessDomain(toBlockedDomain(text), null);
  const address = toBlockedAddress(text);
  return blockType === 'ADDRESS' ? address : toBusinessDomain(null, address);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
