/** Guesses whether the day or the month comes first in the dates of samples such as `03/01/2026`. */
import type { DateOrder } from '@svc/domain/mappings/event-mapping';
import { toInstant } from '../events/instants.ts';
import type { Column } from './sample-items.ts';

export interface FoundDateOrder {
  /** Undefined when the samples have no such dates. */
  readonly order: DateOrder | undefined;
  /** Whether a day after the twelfth tells. */
  readonly isProven: boolean;
}

export function findDateOrder(columns: readonly Column[]): FoundDateOrder {
  const texts = columns
    .flatMap(({ values }) => [...values.values()])
    .filter((value) => typeof value === 'string' && toInstant(value) === null);
  const fits = (order: DateOrder) => texts.filter((text) => toInstant(text, order) !== null).length;
  const [dayFirst, monthFirst] = [fits('day-first'), fits('month-first')];
  if (dayFirst === 0 && monthFirst === 0) return { order: undefined, isProven: false };
  if (dayFirst !== monthFirst) return { order: dayFirst > monthFirst ? 'day-first' : 'month-first', isProven: true };
  // Only the United States write slashes with the month first; dots and dashes mean the day first.
  const isSlashed = texts.some((text) => toInstant(text, 'month-first') !== null && String(text).includes('/'));
  return { order: isSlashed ? 'month-first' : 'day-first', isProven: false };
}
