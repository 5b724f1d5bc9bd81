import type { Check } from '../services/doctor/check.ts';
import { sanitize } from './admin/table.ts';

/** Renders one line per check, with its fix below. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ status, name, message, fix }) => [
    `${status}  ${name.padEnd(width)}  ${sanitize(message)}`,
    ...(fix === null ? [] : [`${' '.repeat(6 + width)}  -> ${fix}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
