import { asList, asObject } from '../http/answer-values.ts';
import type { CrmFailure } from '../http/http-failure.ts';
import { sendDivided } from './batches.ts';
import type { HubspotClient, HubspotOperation } from './client.ts';
import { HUBSPOT_PATHS } from './paths.ts';

/** Finds records by values of a property that is not unique. HubSpot's index lags behind by seconds. */

const PAGE_SIZE = 200;
/** Longest body of a search, in characters, and most values of one filter. */
const BODY_MAX = 3_000;
const VALUES_MAX = 100;
const TOTAL_MAX = 10_000;

export interface Search {
  operation: HubspotOperation;
  objectType: string;
  property: string;
  /** A property. When several records have a value, the search returns the first one in the order of this property. */
  sort: string;
  part: string;
}

/** Returns the id of a record with each value, null for none, or why it cannot be searched. @param values in lower case */
export async function searchByValues(
  client: HubspotClient,
  search: Search,
  values: readonly string[],
): Promise<(string | null | CrmFailure)[]> {
  const found = await Promise.all(
    toSearches(search, values).map((asked) =>
      sendDivided<string, string | null>(asked, (part) => searchOnce(client, search, part)),
    ),
  );
  return found.flat();
}

async function searchOnce(
  client: HubspotClient,
  search: Search,
  values: readonly string[],
): Promise<(string | null)[]> {
  const { operation, objectType, property, part } = search;
  const found = new Map<string, string>();
  let after: string | undefined = '0';
  do {
    const path = HUBSPOT_PATHS.searchRecords(objectType);
    const request = toSearch(search, values, after);
    const { body } = await client.call({ operation, bucket: 'search', method: 'POST', path, body: request, part });
    const { results, paging } = asObject(body);
    for (const result of asList(results)) {
      const { id, properties } = asObject(result);
      const value = String(asObject(properties)[property]).toLowerCase();
      if (typeof id === 'string' && /^\d+$/.test(id) && !found.has(value)) found.set(value, id);
    }
    const next = asObject(asObject(paging)['next'])['after'];
    after = typeof next === 'string' && Number(next) + PAGE_SIZE <= TOTAL_MAX ? next : undefined;
  } while (after !== undefined && values.some((value) => !found.has(value)));
  return values.map((value) => found.get(value) ?? null);
}

function toSearch({ property, sort }: Search, values: readonly string[], after: string): object {
  return {
    filterGroups: [{ filters: [{ propertyName: property, operator: 'IN', values }] }],
    sorts: [sort],
    properties: [property],
    limit: PAGE_SIZE,
    after,
  };
}

/** Divides values into searches that HubSpot takes, in their order. */
function toSearches(search: Search, values: readonly string[]): string[][] {
  const searches: string[][] = [];
  const roomAtStart = BODY_MAX - JSON.stringify(toSearch(search, [], String(TOTAL_MAX))).length;
  let room = 0;
  for (const value of values) {
    const length = JSON.stringify(value).length + 1;
    const last = searches.at(-1);
    if (last === undefined || length > room || last.length === VALUES_MAX) {
      searches.push([value]);
      room = roomAtStart - length;
    } else {
      last.push(value);
      room -= length;
    }
  }
  return searches;
}
