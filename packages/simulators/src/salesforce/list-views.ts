import type { Answer } from '../http/answer.ts';
import type { SalesforceOrg } from './org.ts';
import type { SalesforceQueries } from './query.ts';
import { notFound, Refusal } from './refusal.ts';

/** `/sobjects/{type}/listviews/{id}`: the queries that users have saved. */

export interface SimulatedListView {
  objectType: 'Contact' | 'Lead' | 'Account';
  name: string;
  /** Condition of its query; absent for all records. */
  where?: string;
  /** Columns that it shows. Default: `Name`. */
  columns?: readonly string[];
}

export class SalesforceListViews {
  readonly #org: SalesforceOrg;
  readonly #queries: SalesforceQueries;
  readonly #views = new Map<string, SimulatedListView>();

  constructor(org: SalesforceOrg, queries: SalesforceQueries) {
    this.#org = org;
    this.#queries = queries;
  }

  reset(): void {
    this.#views.clear();
  }

  create(view: SimulatedListView): string {
    const { id } = this.#org.seed('ListView', { Name: view.name, SobjectType: view.objectType });
    this.#views.set(id, view);
    return id;
  }

  describe(type: string, id: string): Answer {
    const view = this.#get(type, id);
    const columns = view.columns ?? ['Name'];
    const body = {
      id,
      sobjectType: view.objectType,
      query: this.#org.isBroken('salesforce-11')
        ? this.#query(view).replace(/ FROM \w+/, '$& USING SCOPE gone')
        : this.#query(view),
      scope: null,
      columns: columns.map((name) => ({ fieldNameOrPath: name, label: name, type: 'string', hidden: false })),
      orderBy: [{ fieldNameOrPath: 'Name', nullsPosition: 'first', sortDirection: 'ascending' }],
      whereCondition: {},
    };
    return { status: 200, body };
  }

  results(type: string, id: string, query: URLSearchParams, base: string): Answer {
    const view = this.#get(type, id);
    const limit = Number(query.get('limit') ?? '25');
    const offset = Number(query.get('offset') ?? '0');
    if (!(limit >= 1 && limit <= 2_000) || !(offset >= 0 && offset <= 2_000))
      throw new Refusal(400, 'INVALID_ARGUMENT', 'limit and offset must be at most 2000');
    const rows = this.#queries.select(`${this.#query(view)} LIMIT ${limit} OFFSET ${offset}`, base);
    const records = rows.map((row) => ({
      columns: Object.entries(row)
        .filter(([name]) => name !== 'attributes')
        .map(([fieldNameOrPath, value]) => ({ fieldNameOrPath, value })),
    }));
    return {
      status: 200,
      body: { id, developerName: view.name, label: view.name, size: records.length, done: true, records },
    };
  }

  #query({ objectType, where, columns = ['Name'] }: SimulatedListView): string {
    const condition = where === undefined ? '' : ` WHERE ${where}`;
    const names = [...columns, 'Id', 'CreatedDate', 'LastModifiedDate'].join(', ');
    return `SELECT ${names} FROM ${objectType}${condition} ORDER BY Name ASC NULLS FIRST, Id ASC NULLS FIRST`;
  }

  #get(type: string, id: string): SimulatedListView {
    const record = this.#org.find(id);
    const view = record === null ? undefined : this.#views.get(record.id);
    if (view === undefined || record?.isDeleted !== false || view.objectType.toLowerCase() !== type.toLowerCase())
      throw notFound();
    return view;
  }
}
