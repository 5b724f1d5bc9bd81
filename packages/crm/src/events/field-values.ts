import type { FieldValue } from '@svc/domain/policy/planned-fields';
import type { CrmOption, CrmProperty } from '../port/setup.ts';

/** A value in the form of a property: of `options` the values of several options, of `date` as 2026-03-01, of `datetime` as ISO time. */
export type ConvertedValue = FieldValue | readonly string[];

/**
 * Returns a value in the form of the property that it is written to; null when the property cannot take it. Options are named by value or by
 * label, in any letter case; several are divided by `;` or `,`.
 */
export function toPropertyValue(
  value: FieldValue,
  { type, options }: Pick<CrmProperty, 'type' | 'options'>,
): ConvertedValue | null {
  const text = String(value).trim();
  switch (type) {
    case 'number':
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
    case 'boolean':
      return BOOLEANS.get(text.toLowerCase()) ?? null;
    case 'date':
      return isIsoTime(text) ? (/^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? null) : null;
    case 'datetime':
      return isIsoTime(text) ? new Date(inUtc(text)).toISOString() : null;
    case 'option':
      return options === null ? text : findOption(options, text);
    case 'options':
      return options === null ? listOf(text) : findOptions(options, text);
    case 'text':
    case 'other':
      return typeof value === 'string' ? value : text;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function isIsoTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:$|[T ])/.test(text) && !Number.isNaN(Date.parse(inUtc(text)));
}

/** A time without a zone is one of UTC, wherever this process runs. */
function inUtc(text: string): string {
  return /[T ].*(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !/[T ]/.test(text) ? text : `${text}Z`;
}

/** Returns the value of the option that a text names, by value or label. */
export function findOption(options: readonly CrmOption[], text: string): string | null {
  const wanted = text.trim().toLowerCase();
  const found =
    options.find(({ value }) => value === text) ??
    options.find(({ value, label }) => value.toLowerCase() === wanted || label.trim().toLowerCase() === wanted);
  return found?.value ?? null;
}

function findOptions(options: readonly CrmOption[], text: string): readonly string[] | null {
  const whole = findOption(options, text);
  const found = whole === null ? listOf(text).map((part) => findOption(options, part)) : [whole];
  return found.every((value) => value !== null) ? [...new Set(found)] : null;
}

function listOf(text: string): string[] {
  return text
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
