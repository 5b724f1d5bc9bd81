const WEEK_MS = 604_800_000;
const UNITS_MS = [WEEK_MS, WEEK_MS / 7, 3_600_000, 60_000, 1000, 1];

/** The form of a duration. */
export const DURATION_FORM =
  /^(?=\d)(?:(\d+(?:\.\d+)?)w)?(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/**
 * Parses a duration as people write it: `90m`, `1h30m`, `2d12h`, `1.5h` or `500ms`. The units are w, d, h, m, s and ms, the
 * largest first.
 *
 * @returns whole milliseconds, or null for other text
 */
export function parseDuration(text: string): number | null {
  const counts = DURATION_FORM.exec(text)?.slice(1);
  if (counts === undefined) return null;
  return Math.round(counts.reduce((sum, count, index) => sum + Number(count ?? 0) * (UNITS_MS[index] ?? 0), 0));
}
