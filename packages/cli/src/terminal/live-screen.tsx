import { render, Text, useInput, useWindowSize } from 'ink';
import stringWidth from 'string-width';
import { showNotesWith } from './progress.ts';
import { writeRendered } from './stdout.ts';

/** What is drawn, as text that may hold our colours: the same as is printed where nothing redraws itself. */
export interface LiveScreenOptions {
  /** Stays on the screen when all is over. @param columns of the terminal, now */
  readonly draw: (columns: number) => string;
  /**
   * The line below, while somebody watches; it is seen however low the window is.
   * @param note why nothing moves just now, such as the rate limit; null mostly
   */
  readonly foot: (note: string | null) => string;
  /** Left out: `q` does nothing. */
  readonly onQuit?: () => void;
}

/**
 * A part of the terminal that is drawn again whenever something changes, the window's size too. Loaded by `await import()`
 * only, behind `canDraw()`: Ink and React cost more than a plain command has to spend.
 */
export interface LiveScreen {
  /** Something has changed. */
  redraw(): void;
  /** Leaves what was drawn last on the screen, all of it, and the terminal as it was. */
  close(): Promise<void>;
}

export function openLiveScreen({ draw, foot, onQuit }: LiveScreenOptions): LiveScreen {
  let note: string | null = null;
  let noteTimer: NodeJS.Timeout | undefined;
  let closed: Promise<void> | null = null;

  const close = async () => {
    showNotesWith(null);
    clearTimeout(noteTimer);
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
  // The keyboard is read key by key here, so that Ctrl-C comes as a key: it ends the command as the signal does.
  const interrupt = () => void screen.close().then(() => process.kill(process.pid, 'SIGINT'));
  const frame = () => <Screen draw={draw} foot={foot(note)} onQuit={onQuit} onInterrupt={interrupt} />;
  const app = render(frame(), { exitOnCtrlC: false, interactive: true, patchConsole: false });

  const showNote = (text: string | null) => {
    note = text;
    screen.redraw();
  };
  showNotesWith((text, waitMs) => {
    clearTimeout(noteTimer);
    noteTimer = setTimeout(() => showNote(null), waitMs);
    showNote(text);
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

/** A frame as high as the window would scroll, and what has scrolled away cannot be drawn over. */
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
