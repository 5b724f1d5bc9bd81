import { render, Text, useInput, useWindowSize } from 'ink';
import stringWidth from 'string-width';
import { showNotesWith } from './progress.ts';
import { writeRendered } from './stdout.ts';

export interface LiveScreenOptions {
  /** Returns the text, which stays on the screen at the end. @param columns width of the terminal */
  readonly draw: (columns: number) => string;
  /**
   * Returns the bottom line, which is always visible and removed at the end.
   * @param note reason for a wait, such as the rate limit, or null
   */
  readonly foot: (note: string | null) => string;
  /** Called for `q`. */
  readonly onQuit?: () => void;
}

/**
 * Text that is redrawn after changes, also of the window size. Must be loaded by `await import()` after `canDraw()`,
 * because Ink and React take long to load.
 */
export interface LiveScreen {
  /** Redraws after a change. */
  redraw(): void;
  /** Leaves the complete last text on the screen and restores the terminal. */
  close(): Promise<void>;
}

export function openLiveScreen({ draw, foot, onQuit }: LiveScreenOptions): LiveScreen {
  let note: string | null = null;
  let noteTimer: NodeJS.Timeout | undefined;
  let closed: Promise<void> | null = null;

  const close = async () => {
    showNotesWith(null);
    clearInterval(noteTimer);
    // Otherwise `unmount` would draw a pending frame after `clear`, and leave it on the screen.
    await app.waitUntilRenderFlush();
    app.clear();
    app.unmount();
    await app.waitUntilExit();
    await writeRendered(withLineEnd(draw(process.stdout.columns || 80)));
  };
  const screen: LiveScreen = {
    redraw() {
      if (closed === null) app.rerender(frame());
    },
    close: () => (closed ??= close()),
  };
  // The keyboard is in raw mode, so Ctrl-C arrives as a key and is turned into the signal.
  const interrupt = () => void screen.close().then(() => process.kill(process.pid, 'SIGINT'));
  const frame = () => <Screen draw={draw} foot={foot(note)} onQuit={onQuit} onInterrupt={interrupt} />;
  const app = render(frame(), { exitOnCtrlC: false, interactive: true, patchConsole: false });

  showNotesWith(({ label, waitMs }) => {
    clearInterval(noteTimer);
    const endsAt = Date.now() + waitMs;
    const tick = () => {
      const seconds = Math.ceil((endsAt - Date.now()) / 1000);
      if (seconds <= 0) clearInterval(noteTimer);
      note = seconds > 0 ? `${label} ${seconds} s` : null;
      screen.redraw();
    };
    noteTimer = setInterval(tick, 1000);
    tick();
  });
  return screen;
}

interface ScreenProps extends Pick<LiveScreenOptions, 'draw'> {
  readonly foot: string;
  readonly onQuit: (() => void) | undefined;
  readonly onInterrupt: () => void;
}

function Screen({ draw, foot, onQuit, onInterrupt }: ScreenProps) {
  const { columns, rows } = useWindowSize();
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onInterrupt();
    else if (input === 'q') onQuit?.();
  });
  if (foot === '') return <Text>{cutToRows(draw(columns), columns, rows - 1)}</Text>;
  const body = cutToRows(draw(columns), columns, rows - 2 - heightOf(foot, columns));
  return <Text>{`${body}\n\n${foot}`}</Text>;
}

/** Cuts text that is higher than the window, because lines that have scrolled away cannot be redrawn. */
function cutToRows(text: string, columns: number, rows: number): string {
  const lines = text.trimEnd().split('\n');
  let height = 0;
  const end = lines.findIndex((line) => {
    height += heightOf(line, columns);
    return height > rows;
  });
  return end === -1 ? lines.join('\n') : [...lines.slice(0, Math.max(0, end - 1)), '...'].join('\n');
}

function heightOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(stringWidth(line) / columns));
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
