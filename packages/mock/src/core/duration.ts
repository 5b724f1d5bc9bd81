/** Spans of time as people write them. */

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Milliseconds of a number, which is milliseconds already, or of a number with a unit: `"500ms"`, `"90s"`, `"24h"`, `"7d"`.
 * @throws RangeError for anything else
 */
export function parseDuration(value: number | string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  const [, amount, unit] = DURATION_PATTERN.exec(String(value)) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  if (typeof value === 'string' && amount !== undefined && unitMs !== undefined) return Number(amount) * unitMs;
  throw new RangeError(
    `A duration is milliseconds from 0 on, or a text like 500ms, 90s, 5m, 24h or 7d; ${String(value)} is neither.`,
  );
}
