import { displayWidth } from './text.ts';

/** One line that is written over and over, for a person at a terminal; nothing anywhere else. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

const REDRAW_MS = 100;

export function createProgress(stream: NodeJS.WriteStream, now: () => number = Date.now): Progress {
  if (!stream.isTTY) return { show() {}, clear() {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (now() - drawnAt < REDRAW_MS) return;
      drawnAt = now();
      // A line that wraps cannot be drawn over.
      const room = (stream.columns || 80) - 1;
      stream.write(`\r\u001b[2K${displayWidth(text) > room ? text.slice(0, room) : text}`);
    },
    clear() {
      if (drawnAt !== Number.NEGATIVE_INFINITY) stream.write('\r\u001b[2K');
      drawnAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** `12,345` whatever the locale of the machine. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
