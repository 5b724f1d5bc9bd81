/** A progress line that is redrawn on a terminal; does nothing elsewhere. */
export interface Progress {
  show(text: string): void;
  end(): void;
}

type Terminal = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

const REDRAW_MS = 100;
const CLEAR = '\r\u001b[2K';

/** The current progress line. It must be cleared before other output. */
let current: { readonly terminal: Terminal; text: string; isDrawn: boolean } | null = null;

/** @param stream null if rows are written to the same terminal */
export function startProgress(stream: Terminal | null, now: () => number = Date.now): Progress {
  if (!stream?.isTTY) return { show() {}, end() {} };
  const line = { terminal: stream, text: '', isDrawn: false };
  current = line;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      line.text = text;
      if (line.isDrawn && now() - drawnAt < REDRAW_MS) return;
      drawnAt = now();
      draw(line, text);
    },
    end() {
      clearProgress();
      current = null;
    },
  };
}

type ShowNote = (text: string, waitMs: number) => void;

let showNote: ShowNote | null = null;

/** Redirects notes to another display; null ends that. */
export function showNotesWith(show: ShowNote | null): void {
  showNote = show;
}

/** Shows the reason for a wait in the progress display. Returns false if there is none. */
export function noteInProgress(text: string, waitMs = 0): boolean {
  if (showNote !== null) {
    showNote(text, waitMs);
    return true;
  }
  if (current === null) return false;
  draw(current, current.text === '' ? text : `${current.text}, ${text}`);
  return true;
}

/** Clears the line before other output. Returns false if there is none. */
export function clearProgress(): boolean {
  if (!current?.isDrawn) return false;
  current.isDrawn = false;
  current.terminal.write(CLEAR);
  return true;
}

function draw(line: NonNullable<typeof current>, text: string): void {
  // A wrapped line could not be redrawn.
  line.terminal.write(CLEAR + text.slice(0, (line.terminal.columns || 80) - 1));
  line.isDrawn = true;
}

/** Formats a number like `12,345`, independent of the locale. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
