import { type Fields } from '../http/answer-values.ts';
import type { CrmFailure } from '../http/http-failure.ts';
import type { CrmError } from '../port/types.ts';
import type { RecordResult, SalesforceClient, SalesforceOperation } from './client.ts';
import type { SalesforceProblem } from './errors.ts';
import { PROFILE_URL_FIELD } from './org.ts';

/** Writes records, and writes refused ones again without the fields that were refused. */

export interface RepairableRecord {
  type: string;
  id?: string;
  values: Fields;
  /** Fields without which the record must not be written. */
  required: readonly string[];
}

export interface RepairedResult {
  result: RecordResult;
  /** The refusal of the fields that were left out; null when nothing was. */
  left: { failure: CrmFailure; fields: readonly string[] } | null;
}

/** Times that a record is written again; each leaves out more fields. */
const REPAIRS_MAX = 2;
/** Codes that no other values can mend. */
const NOT_REPAIRABLE = new Set([
  'CANNOT_UPDATE_CONVERTED_LEAD',
  'DUPLICATES_DETECTED',
  'ENTITY_IS_DELETED',
  'UNABLE_TO_LOCK_ROW',
]);
/** Codes of an object that the user must not write, or must not give to somebody else: it is tried without the owner. */
const FORBIDDEN = /^(?:INSUFFICIENT_ACCESS|CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY)/;

/** @throws CrmFailure for every failure that is no refusal */
export async function writeRepairing(
  client: SalesforceClient,
  records: readonly RepairableRecord[],
  call: { operation: SalesforceOperation; part: string; allowsDuplicates?: boolean },
): Promise<RepairedResult[]> {
  const first = records.length === 0 ? [] : await client.write(records, call);
  const results: RepairedResult[] = first.map((result) => ({ result, left: null }));
  let open = records.map((record, index) => ({ record, index }));
  for (let repairs = 0; repairs < REPAIRS_MAX; repairs += 1) {
    const repaired: { record: RepairableRecord; index: number }[] = [];
    for (const { record, index } of open) {
      const known = results[index];
      if (known === undefined || known.result.isWritten) continue;
      const { problem, failure } = known.result;
      const values = withoutRefused(record, problem);
      if (values === null) continue;
      const removed = Object.keys(record.values).filter((name) => !Object.hasOwn(values, name));
      known.left = { failure: known.left?.failure ?? failure, fields: [...(known.left?.fields ?? []), ...removed] };
      repaired.push({ record: { ...record, values }, index });
    }
    if (repaired.length === 0) return results;
    const again = await client.write(
      repaired.map(({ record }) => record),
      call,
    );
    for (const [position, { index }] of repaired.entries()) {
      const known = results[index];
      const result = again[position];
      if (known !== undefined && result !== undefined) known.result = result;
    }
    open = repaired;
  }
  return results;
}

const INACTIVE_OWNER = 'INACTIVE_OWNER_OR_USER';

/**
 * Returns the refusal of the fields that were left out. Null when nothing was, and for fields whose refusal is no fault of an
 * event: the user has left since it was found, or another record has the profile URL.
 */
export function warningOf(left: RepairedResult['left']): CrmError | null {
  if (left === null) return null;
  const { error } = left.failure;
  const silent = [PROFILE_URL_FIELD, ...(error.category === INACTIVE_OWNER ? ['OwnerId'] : [])];
  return left.fields.every((name) => silent.includes(name)) ? null : error;
}

/** Returns the values without the refused ones; null when that cannot help. */
function withoutRefused(
  { values, required }: RepairableRecord,
  { code, fields, message }: SalesforceProblem,
): Fields | null {
  if (NOT_REPAIRABLE.has(code) || message.includes('UNABLE_TO_LOCK_ROW')) return null;
  const names = Object.keys(values);
  const optional = names.filter((name) => !required.includes(name));
  const isForbidden = FORBIDDEN.test(code);
  const about = isForbidden ? ['OwnerId', 'WhatId', ...fields] : [...fields, ...impliedBy(code, message, names)];
  const named = about.filter((name) => optional.includes(name));
  // A rule of the customer that names no field: only what must be there is written.
  const isUnnamed = fields.length === 0 && code === 'FIELD_CUSTOM_VALIDATION_EXCEPTION';
  const refused = named.length > 0 ? named : isUnnamed ? optional : [];
  if (refused.length === 0) return null;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !refused.includes(name)));
}

/** Returns the fields that a code is about although it does not list them. */
function impliedBy(code: string, message: string, names: readonly string[]): readonly string[] {
  if (code === INACTIVE_OWNER || code === 'TRANSFER_REQUIRES_READ') return ['OwnerId'];
  return code === 'DUPLICATE_VALUE' ? names.filter((name) => message.includes(name)) : [];
}
