import type { Answer } from '../http/answer.ts';
import { toLongId } from './ids.ts';
import type { SalesforceOrg } from './org.ts';
import type { StoredRecord } from './record.ts';
import { Refusal } from './refusal.ts';
import type { Field, ObjectDefinition } from './definitions.ts';
import { findField } from './schema.ts';
import { parseSoql, type SoqlCondition, type SoqlValue } from './soql.ts';

/** `/query`: runs a query over the org's records, page by page. */

type Row = Record<string, unknown>;

/** What a query reads of a record. */
interface Column {
  name: string;
  field: Field;
  read: (record: StoredRecord) => SoqlValue;
}

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
    const columns = query.fields.map((name) => this.#columnOf(object, name));
    const filterBy = (name: string) => {
      if (name === 'CallObject' && this.#org.isBroken('salesforce-7')) throw notFilterable(name);
      return filterable(this.#columnOf(object, name));
    };
    const orders = query.orderBy.map((order) => ({ ...order, column: filterBy(order.field) }));
    const isSelected = query.where === null ? () => true : toPredicate(query.where, filterBy);
    const found = this.#org.all(object.name).filter(isSelected);
    const sorted = found.toSorted((a, b) => {
      for (const { column, isDescending, areNullsLast } of orders) {
        const order = compareValues(column.read(a), column.read(b), areNullsLast);
        if (order !== 0) return isDescending ? -order : order;
      }
      return 0;
    });
    const end = query.limit === null ? sorted.length : query.offset + query.limit;
    return sorted.slice(query.offset, end).map((record) => columnsToRow(record, columns, base));
  }

  /** Resolves the name of a field, also of the record that a reference names: `Opportunity.IsClosed`. */
  #columnOf(object: ObjectDefinition, name: string): Column {
    const [relation = '', child] = name.split('.');
    if (child === undefined) {
      const field = queryField(object, name);
      return { name: field.name, field, read: (record) => valueOf(record, field) };
    }
    const reference = queryField(object, `${relation}Id`);
    const field = queryField(this.#objectOf(relation), child);
    return {
      name,
      field,
      read: (record) => {
        const id = record.values[reference.name];
        const parent = typeof id === 'string' ? this.#org.find(id) : null;
        return parent === null ? null : valueOf(parent, field);
      },
    };
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

function columnsToRow(record: StoredRecord, columns: readonly Column[], base: string): Row {
  const row = toRow(record, [], base);
  for (const { name, read } of columns) {
    const [relation = '', child] = name.split('.');
    if (child === undefined) row[name] = read(record);
    else row[relation] = { ...Object(row[relation]), [child]: read(record) };
  }
  return row;
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

function filterable(column: Column): Column {
  const { name, filterable: isFilterable } = column.field;
  if (!isFilterable) throw notFilterable(name);
  return column;
}

function notFilterable(name: string): Refusal {
  return new Refusal(400, 'INVALID_FIELD', `field '${name}' can not be filtered in a query call`);
}

function toPredicate(condition: SoqlCondition, columnOf: (name: string) => Column): (record: StoredRecord) => boolean {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => toPredicate(part, columnOf));
      return (record) => parts.every((part) => part(record));
    }
    case 'or': {
      const parts = condition.parts.map((part) => toPredicate(part, columnOf));
      return (record) => parts.some((part) => part(record));
    }
    case 'not': {
      const part = toPredicate(condition.part, columnOf);
      return (record) => !part(record);
    }
    case 'in':
    case 'not in': {
      const { field, read } = columnOf(condition.field);
      const values = new Set(condition.values.map((value) => toComparable(assertType(field, value), field)));
      return (record) => values.has(toComparable(read(record), field)) === (condition.kind === 'in');
    }
    case 'compare': {
      const { field, read } = columnOf(condition.field);
      const { operator, value } = condition;
      assertType(field, value);
      if (operator === 'like') {
        const pattern = toPattern(String(value));
        return (record) => pattern.test(String(read(record) ?? ''));
      }
      return (record) => isTrue(compareValues(read(record), value, false, field), operator);
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
