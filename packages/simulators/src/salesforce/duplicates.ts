import type { OrgRecords, Values } from './record.ts';
import { Refusal } from './refusal.ts';
import type { ObjectType } from './definitions.ts';

export interface SimulatedDuplicateRule {
  name: string;
  /** A write of this type is checked ... */
  objectType: 'Contact' | 'Lead';
  /** ... against records of these types ... */
  matches: readonly ('Contact' | 'Lead' | 'Account')[];
  /** ... with the same values in all of these fields. */
  fields: readonly string[];
  /** `alert` lets a write pass that allows duplicates; `block` does not. */
  action: 'alert' | 'block';
}

/** Returns the rule that a write breaks, or null. A rule is only applied when one of its fields changes. */
export function findDuplicates(
  org: OrgRecords,
  rules: readonly SimulatedDuplicateRule[],
  objectType: ObjectType,
  { values, changed, id }: { values: Values; changed: Values; id: string | null },
): { allowsSave: boolean; refusal: Refusal } | null {
  for (const rule of rules) {
    if (rule.objectType !== objectType || !rule.fields.some((name) => changed[name] !== undefined)) continue;
    if (rule.fields.some((name) => typeof values[name] !== 'string')) continue;
    const records = rule.matches
      .flatMap((type) => org.all(type))
      .filter((other) => other.id !== id && rule.fields.every((name) => isSame(other.values[name], values[name])));
    if (records.length === 0) continue;
    const allowsSave = rule.action === 'alert';
    const matchRecords = records.map((record) => ({
      additionalInformation: [],
      fieldDiffs: [],
      matchConfidence: 100,
      record: {
        attributes: { type: record.objectType, url: `/services/data/v66.0/sobjects/${record.objectType}/${record.id}` },
        Id: record.id,
      },
    }));
    const duplicateResult = {
      allowSave: allowsSave,
      duplicateRule: rule.name,
      duplicateRuleEntityType: objectType,
      errorMessage: 'Use one of these records?',
      matchResults: [
        { entityType: objectType, errors: [], matchEngine: 'FuzzyMatchEngine', matchRecords, success: true },
      ],
    };
    const message = 'Use one of these records?';
    return { allowsSave, refusal: new Refusal(400, 'DUPLICATES_DETECTED', message, [], { duplicateResult }) };
  }
  return null;
}

function isSame(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase();
}
