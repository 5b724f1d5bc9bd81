import { readTerminalEnvironment } from './environment.ts';

/** A text, or a function that fits it into the columns of the terminal. */
export type ProgressLine = string | ((columns: number) => string);

/** A progress line that is redrawn on a terminal; does nothing elsewhere. */
export interface Progress {
  show(line: ProgressLine): void;
  end(): void;
}

/** A wait that is counted down, such as `rate limit: waiting 42 s`. */
export interface Wait {
  /** The text before the seconds. */
  readonly label: string;
  readonly waitMs: number;
  readonly isRateLimit: boolean;
}

type Terminal = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

const REDRAW_MS = 100;
const TICK_MS = 1000;
const CLEAR = '\r\u001b[2K';

interface Line {
  readonly terminal: Terminal;
  readonly now: () => number;
  content: ProgressLine;
  wait: { readonly label: string; readonly endsAt: number } | null;
  timer: NodeJS.Timeout | undefined;
  isDrawn: boolean;
}

/** The current progress line. It must be cleared before other output. */
let current: Line | null = null;

/** Whether a line of the stream can be redrawn. */
export function canRedraw(stream: Pick<Terminal, 'isTTY'>): boolean {
  return stream.isTTY === true && !readTerminalEnvironment().isDumbTerminal;
}

/** @param stream null if rows are written to the same terminal */
export function startProgress(stream: Terminal | null, now: () => number = Date.now): Progress {
  if (stream === null || !canRedraw(stream)) return { show() {}, end() {} };
  const line: Line = { terminal: stream, now, content: '', wait: null, timer: undefined, isDrawn: false };
  if (current !== null) {
    clearInterval(current.timer);
    clearProgress();
  }
  current = line;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(content) {
      line.content = content;
      if (line.isDrawn && now() - drawnAt < REDRAW_MS) return;
      drawnAt = now();
      draw(line);
    },
    end() {
      clearInterval(line.timer);
      if (current !== line) return;
      clearProgress();
      current = null;
    },
  };
}

/** Counts a wait down in the progress display, or in a line of its own. Returns false if the stream cannot be redrawn. */
export function countDown(stream: Terminal, wait: Wait): boolean {
  if (noteInProgress(wait)) return true;
  const progress = startProgress(stream);
  if (!noteInProgress(wait)) return false;
  setTimeout(() => progress.end(), wait.waitMs).unref();
  return true;
}

type ShowNote = (wait: Wait) => void;

let showNote: ShowNote | null = null;

/** Redirects notes to another display; null ends that. */
export function showNotesWith(show: ShowNote | null): void {
  showNote = show;
}

/** Counts a wait down in the progress display. Returns false if there is none. */
export function noteInProgress(wait: Wait): boolean {
  if (showNote !== null) {
    showNote(wait);
    return true;
  }
  if (current === null) return false;
  const line = current;
  clearInterval(line.timer);
  line.wait = { label: wait.label, endsAt: line.now() + wait.waitMs };
  line.timer = setInterval(() => {
    if (secondsLeft(line) === 0) {
      clearInterval(line.timer);
      line.wait = null;
    }
    draw(line);
  }, TICK_MS).unref();
  draw(line);
  return true;
}

/** Clears the line before other output. Returns false if there is none. */
export function clearProgress(): boolean {
  if (!current?.isDrawn) return false;
  current.isDrawn = false;
  current.terminal.write(CLEAR);
  return true;
}

function secondsLeft({ wait, now }: Line): number {
  return wait === null ? 0 : Math.max(0, Math.ceil((wait.endsAt - now()) / 1000));
}

function draw(line: Line): void {
  // A wrapped line could not be redrawn, and the terminal writes `^C` after it.
  const columns = (line.terminal.columns || 80) - 3;
  const seconds = secondsLeft(line);
  const note = line.wait === null || seconds === 0 ? '' : `${line.wait.label} ${seconds} s`;
  const room = note === '' ? columns : columns - note.length - 2;
  const content = typeof line.content === 'string' ? line.content : line.content(room);
  const text = [content, note].filter((part) => part !== '').join(', ');
  line.terminal.write(CLEAR + (text.length > columns ? `${text.slice(0, columns - 1)}…` : text));
  line.isDrawn = true;
}

/** Formats a number like `12,345`, independent of the locale. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
