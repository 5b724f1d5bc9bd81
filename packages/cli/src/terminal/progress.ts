/** One line that is written over and over, for a person at a terminal; nothing anywhere else. */
export interface Progress {
  show(text: string): void;
  end(): void;
}

type Terminal = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

const REDRAW_MS = 100;
const CLEAR = '\r\u001b[2K';

/** The line of this process, while there is one: whatever else goes to the terminal has to take it away first. */
let current: { readonly terminal: Terminal; text: string; isDrawn: boolean } | null = null;

/** `null` where rows go to the same terminal. */
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

/** Notes go there while something else than a line is drawn; null ends that. */
export function showNotesWith(show: ShowNote | null): void {
  showNote = show;
}

/** Says why nothing moves, and for how long, until the next step; false where no progress is shown. */
export function noteInProgress(text: string, waitMs = 0): boolean {
  if (showNote !== null) {
    showNote(text, waitMs);
    return true;
  }
  if (current === null) return false;
  draw(current, current.text === '' ? text : `${current.text}, ${text}`);
  return true;
}

/** Takes the line off the screen, so that other text can be written there; false when there is none. */
export function clearProgress(): boolean {
  if (!current?.isDrawn) return false;
  current.isDrawn = false;
  current.terminal.write(CLEAR);
  return true;
}

function draw(line: NonNullable<typeof current>, text: string): void {
  // A line that wraps cannot be drawn over.
  line.terminal.write(CLEAR + text.slice(0, (line.terminal.columns || 80) - 1));
  line.isDrawn = true;
}

/** `12,345` whatever the locale of the machine. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
