const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Draws counts as bars in proportion to the largest; nothing for 0 and for unknown counts. */
export function drawTrend(counts: readonly (number | null)[]): string {
  const largest = Math.max(1, ...counts.map((count) => count ?? 0));
  return counts
    .map((count) => {
      if (count === null || count === 0) return ' ';
      return LEVELS[Math.ceil((count / largest) * LEVELS.length) - 1] ?? LEVELS[0];
    })
    .join('');
}
