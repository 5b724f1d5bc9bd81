import { asObject, asText, type Fields } from '../http/answer-values.ts';
import type { BlockType } from '@svc/contract/vocabulary';
import { toBlockedAddress, toBlockedDomain } from '@svc/domain/blocklists/blocklist-entry';
import { toBusinessDomain } from '../events/business-domain.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { CrmListPage, CrmListRead } from '../port/types.ts';
import type { SalesforceClient } from './client.ts';
import { withSelection } from './list-query.ts';
import { quote } from './soql.ts';
import { isId } from './values.ts';

/**
 * Reads a campaign or a list view as the source of a block list.
 *
 * Pages follow each other by the id of their last row, because the cursors of Salesforce end after 15 minutes and offsets
 * at 2,000. A list view is read by its own query, with other columns. ADDRESS uses the email; DOMAIN the domain of the
 * email, or of the website for a list view of accounts. Free mail hosts are left out.
 *
 * Calls: one for a campaign and two for a list view, then one per 2,000 rows.
 */
const PAGE_SIZE = 2_000;
const LIST = 'the list';
const MEMBERS = 'the members of the list';

interface ListQuery {
  objectType: 'CampaignMember' | 'Contact' | 'Lead' | 'Account';
  /** Returns the query of the page behind an id. */
  pageAfter: (id: string | null) => string;
}

/** @throws CrmFailure */
export async function* readList(
  client: SalesforceClient,
  { listId, blockType, cursor }: Omit<CrmListRead, 'access'>,
): AsyncGenerator<CrmListPage> {
  const list = await openList(client, listId, blockType);
  let after = cursor !== null && isId(cursor) ? cursor : null;
  do {
    const [rows = []] = await client.query([{ soql: list.pageAfter(after), part: MEMBERS }], 'list_read');
    const values = rows.flatMap((row) => toValue(row, list.objectType, blockType) ?? []);
    const last: string | null = asText(rows.at(-1)?.['Id']);
    // A page that does not go on would keep the job running forever.
    if (last !== null && last === after) throw notUsable('its rows are not ordered by id');
    after = rows.length < PAGE_SIZE ? null : last;
    yield { status: 'page', values: [...new Set(values)], cursor: after };
  } while (after !== null);
}

async function openList(client: SalesforceClient, listId: string, blockType: BlockType): Promise<ListQuery> {
  if (isId(listId, '701')) return openCampaign(client, listId);
  if (isId(listId, '00B')) return openListView(client, listId, blockType);
  const message =
    'the id of a Salesforce list begins with 701 (campaign) or 00B (list view) and has 15 or 18 characters';
  throw new CrmFailure({ code: 'list_not_usable', message, httpStatus: null }, NEVER);
}

async function openCampaign(client: SalesforceClient, listId: string): Promise<ListQuery> {
  const soql = `SELECT Id FROM Campaign WHERE Id = ${quote(listId)}`;
  const [campaigns = []] = await client.query([{ soql, part: LIST }], 'list_read');
  if (campaigns.length === 0) throw notFound();
  return {
    objectType: 'CampaignMember',
    pageAfter: (id) =>
      `SELECT Id, Email FROM CampaignMember WHERE CampaignId = ${quote(listId)}${id === null ? '' : ` AND Id > ${quote(id)}`} ORDER BY Id LIMIT ${PAGE_SIZE}`,
  };
}

async function openListView(client: SalesforceClient, listId: string, blockType: BlockType): Promise<ListQuery> {
  const soql = `SELECT Id, SobjectType FROM ListView WHERE Id = ${quote(listId)}`;
  const [views = []] = await client.query([{ soql, part: LIST }], 'list_read');
  const [view] = views;
  if (view === undefined) throw notFound();
  const type = view['SobjectType'];
  if (type === 'Account' && blockType === 'ADDRESS')
    throw notUsable(
      'it shows accounts, which have no email address: use a list of contacts or leads, or block domains',
    );
  if (type !== 'Contact' && type !== 'Lead' && type !== 'Account')
    throw notUsable('it shows neither contacts nor leads nor accounts');
  const path = `/sobjects/${type}/listviews/${listId}/describe`;
  const described = asObject(await client.call({ operation: 'list_read', method: 'GET', path, part: LIST }));
  const query = asText(described['query']) ?? '';
  const column = type === 'Account' ? 'Website' : 'Email';
  if (withSelection(query, column, null, PAGE_SIZE) === null) throw notUsable('its query has an unexpected form');
  return { objectType: type, pageAfter: (id) => withSelection(query, column, id, PAGE_SIZE) ?? '' };
}

function toValue(row: Fields, objectType: ListQuery['objectType'], blockType: BlockType): string | null {
  if (objectType === 'Account') return toBusinessDomain(toBlockedDomain(asText(row['Website']) ?? ''), null);
  const address = toBlockedAddress(asText(row['Email']) ?? '');
  return blockType === 'ADDRESS' ? address : toBusinessDomain(null, address);
}

function notFound(): CrmFailure {
  const message = 'Salesforce has no such list, or the user of the connection does not see it';
  return new CrmFailure({ code: 'list_not_usable', message, httpStatus: 200 }, NEVER);
}

function notUsable(why: string): CrmFailure {
  return new CrmFailure(
    { code: 'list_not_usable', message: `Salesforce has the list, but ${why}`, httpStatus: 200 },
    NEVER,
  );
}
