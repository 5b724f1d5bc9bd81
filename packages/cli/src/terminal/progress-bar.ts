import { displayWidth } from './text.ts';

/** A part of a progress line, in order of appearance. */
export interface ProgressPart {
  readonly text: string;
  /** Used instead of `text` before any part of a lower order is dropped. */
  readonly short?: string;
  /** Parts that are dropped or shortened if the terminal is too narrow, highest number first. Default: never. */
  readonly dropOrder?: number;
}

const MAX_BAR_WIDTH = 30;
const MIN_BAR_WIDTH = 10;
const SEPARATOR = ', ';

/**
 * Renders a bar and parts in one line that fits the columns. The bar takes the room that is left; it is dropped when even
 * the smallest one does not fit.
 *
 * @param share completed share, 0 to 1; null: no bar
 */
export function renderProgress(share: number | null, parts: readonly ProgressPart[], columns: number): string {
  const barRoom = share === null ? 0 : MIN_BAR_WIDTH + 1;
  const text = fitParts(parts, columns - barRoom);
  const room = columns - displayWidth(text) - 1;
  if (share === null || room < MIN_BAR_WIDTH) return fitParts(parts, columns);
  return `${renderBar(share, Math.min(MAX_BAR_WIDTH, room))} ${text}`;
}

function fitParts(given: readonly ProgressPart[], columns: number): string {
  let parts = given;
  for (;;) {
    const text = parts.map((part) => part.text).join(SEPARATOR);
    const next = Math.max(0, ...parts.map(({ dropOrder = 0 }) => dropOrder));
    if (displayWidth(text) <= columns || next === 0) return text;
    parts = parts.flatMap((part) => {
      if (part.dropOrder !== next) return [part];
      return part.short === undefined ? [] : [{ text: part.short }];
    });
  }
}

function renderBar(share: number, width: number): string {
  // Full only when everything is done.
  const filled = Math.max(0, Math.min(width, Math.floor(share * width)));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
