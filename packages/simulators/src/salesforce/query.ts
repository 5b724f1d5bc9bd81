import type { Answer } from '../http/answer.ts';
import { toLongId } from './ids.ts';
import type { SalesforceOrg } from './org.ts';
import type { StoredRecord } from './record.ts';
import { fieldOf } from './fields.ts';
import { Refusal } from './refusal.ts';
import { type Field, findField, type ObjectDefinition } from './schema.ts';
import { parseSoql, type SoqlCondition, type SoqlValue } from './soql.ts';

/** `/query`: runs a query over the org's records, page by page. */

type Row = Record<string, unknown>;

export class SalesforceQueries {
  readonly #org: SalesforceOrg;
  #pageSize = 2_000;
  #cursors = new Map<string, Row[]>();
  #lastCursor = 0;

  constructor(org: SalesforceOrg) {
    this.#org = org;
  }

  reset(): void {
    this.#pageSize = 2_000;
    this.#cursors.clear();
  }

  /** Rows of one page; Salesforce has 2,000. */
  setPageSize(rows: number): void {
    this.#pageSize = rows;
  }

  /** Ends all cursors, as 15 minutes without a call do. */
  endCursors(): void {
    this.#cursors.clear();
  }

  run(soql: string, base: string): Answer {
    const rows = this.select(soql, base);
    this.#lastCursor += 1;
    const id = `01gQ${String(this.#lastCursor).padStart(11, '0')}AAA`;
    if (rows.length > this.#pageSize) this.#cursors.set(id, rows);
    return this.#page(rows, 0, `${base}/query/${id}`);
  }

  /** Continues at a locator: the id of the cursor and the number of rows before. */
  more(locator: string, base: string): Answer {
    const [, id = '', start = ''] = /^(\w+)-(\d+)$/.exec(locator) ?? [];
    const rows = this.#cursors.get(id);
    if (rows === undefined) throw new Refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    return this.#page(rows, Number(start), `${base}/query/${id}`);
  }

  select(soql: string, base: string): Row[] {
    const query = parseSoql(soql);
    const object = this.#objectOf(query.objectType);
    const fields = query.fields.map((name) => queryField(object, name));
    const orders = query.orderBy.map((order) => ({ ...order, field: filterField(object, order.field) }));
    const isSelected = query.where === null ? () => true : toPredicate(query.where, object);
    const found = this.#org.all(object.name).filter(isSelected);
    const sorted = found.toSorted((a, b) => {
      for (const { field, isDescending, areNullsLast } of orders) {
        const order = compareValues(valueOf(a, field), valueOf(b, field), areNullsLast);
        if (order !== 0) return isDescending ? -order : order;
      }
      return 0;
    });
    const end = query.limit === null ? sorted.length : query.offset + query.limit;
    return sorted.slice(query.offset, end).map((record) => toRow(record, fields, base));
  }

  #objectOf(name: string): ObjectDefinition {
    const found = this.#org.objects().find((object) => object.name.toLowerCase() === name.toLowerCase());
    if (found === undefined) throw new Refusal(400, 'INVALID_TYPE', `sObject type '${name}' is not supported.`);
    return found;
  }

  #page(rows: readonly Row[], start: number, cursor: string): Answer {
    const end = start + this.#pageSize;
    const isDone = end >= rows.length;
    const body = {
      totalSize: rows.length,
      done: isDone,
      ...(isDone ? {} : { nextRecordsUrl: `${cursor}-${end}` }),
      records: rows.slice(start, end),
    };
    return { status: 200, body };
  }
}

export function toRow(record: StoredRecord, fields: readonly Field[], base: string): Row {
  const { id, objectType } = record;
  const attributes = { type: objectType, url: `${base}/sobjects/${objectType}/${id}` };
  return { attributes, ...Object.fromEntries(fields.map((field) => [field.name, valueOf(record, field)])) };
}

function valueOf(record: StoredRecord, { name, type }: Field): SoqlValue {
  if (name === 'Id') return record.id;
  if (name === 'Name' && (record.objectType === 'Contact' || record.objectType === 'Lead'))
    return [record.values['FirstName'], record.values['LastName']].filter((part) => part != null).join(' ');
  return record.values[name] ?? (type === 'boolean' ? false : null);
}

function queryField(object: ObjectDefinition, name: string): Field {
  const field = findField(object, name);
  if (field === null) throw new Refusal(400, 'INVALID_FIELD', `No such column '${name}' on entity '${object.name}'.`);
  return field;
}

function filterField(object: ObjectDefinition, name: string): Field {
  const field = queryField(object, name);
  if (!field.filterable) throw new Refusal(400, 'INVALID_FIELD', `field '${name}' can not be filtered in a query call`);
  return fieldOf(object, name);
}

function toPredicate(condition: SoqlCondition, object: ObjectDefinition): (record: StoredRecord) => boolean {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => toPredicate(part, object));
      return (record) => parts.every((part) => part(record));
    }
    case 'or': {
      const parts = condition.parts.map((part) => toPredicate(part, object));
      return (record) => parts.some((part) => part(record));
    }
    case 'not': {
      const part = toPredicate(condition.part, object);
      return (record) => !part(record);
    }
    case 'in':
    case 'not in': {
      const field = filterField(object, condition.field);
      const values = new Set(condition.values.map((value) => toComparable(assertType(field, value), field)));
      return (record) => values.has(toComparable(valueOf(record, field), field)) === (condition.kind === 'in');
    }
    case 'compare': {
      const field = filterField(object, condition.field);
      const { operator, value } = condition;
      assertType(field, value);
      if (operator === 'like') {
        const pattern = toPattern(String(value));
        return (record) => pattern.test(String(valueOf(record, field) ?? ''));
      }
      return (record) => isTrue(compareValues(valueOf(record, field), value, false, field), operator);
    }
  }
}

/** @throws Refusal when a value's type does not fit the field */
function assertType(field: Field, value: SoqlValue): SoqlValue {
  const isFitting = value === null || (field.type === 'boolean') === (typeof value === 'boolean');
  if (!isFitting)
    throw new Refusal(400, 'INVALID_FIELD', `value of filter criterion for field '${field.name}' has the wrong type`);
  if (field.type === 'id' || field.type === 'reference') {
    if (typeof value === 'string' && value !== '' && !/^[a-zA-Z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(value))
      throw new Refusal(400, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${value}`);
  }
  return value;
}

function isTrue(order: number, operator: '=' | '!=' | '<' | '<=' | '>' | '>='): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Texts are compared without case, ids in their long form with it. */
function toComparable(value: SoqlValue, field: Field | undefined): SoqlValue {
  if (typeof value !== 'string') return value;
  if (field?.type === 'id' || field?.type === 'reference') return toLongId(value);
  return field?.type === 'datetime' ? new Date(value).toISOString() : value.toLowerCase();
}

function compareValues(left: SoqlValue, right: SoqlValue, areNullsLast: boolean, field?: Field): number {
  const a = toComparable(left, field);
  const b = toComparable(right, field);
  if (a === b) return 0;
  if (a === null || b === null) return (a === null) === areNullsLast ? 1 : -1;
  return a < b ? -1 : 1;
}

/** `%` stands for any text and `_` for one character, unless a backslash is in front. */
function toPattern(like: string): RegExp {
  const source = like.replaceAll(/\\?[%_]|[\\^$.*+?()[\]{}|]/g, (found) => {
    if (found === '%') return '[^]*';
    if (found === '_') return '[^]';
    return found === '\\%' || found === '\\_' ? found.slice(1) : `\\${found}`;
  });
  return new RegExp(`^${source}$`, 'iu');
}
