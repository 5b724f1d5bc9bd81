import { Box, type Key, render, Text, useInput, useWindowSize } from 'ink';
import { showNotesWith } from './progress.ts';

export interface FullScreenOptions {
  /** Returns a text for each line of the terminal. */
  readonly draw: (columns: number, rows: number) => readonly string[];
  /** Called for each key: a character, or a name such as `up`, `enter` or `ctrl-c`. */
  readonly onKey: (key: string) => void;
  /** Called for a wait, such as that for the rate limit; null when it is over. */
  readonly onNote: (note: string | null) => void;
}

/**
 * The whole terminal, until it is closed; then it shows again what it showed before. Must be loaded by `await import()` after
 * `canDraw()`, because Ink and React take long to load.
 */
export interface FullScreen {
  redraw(): void;
  close(): Promise<void>;
}

/** Redraws per second at most. */
const FPS_MAX = 15;

export function openFullScreen({ draw, onKey, onNote }: FullScreenOptions): FullScreen {
  let noteTimer: NodeJS.Timeout | undefined;
  let closed: Promise<void> | null = null;
  const frame = () => <Screen draw={draw} onKey={onKey} />;
  const app = render(frame(), {
    alternateScreen: true,
    exitOnCtrlC: false,
    interactive: true,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: FPS_MAX,
  });
  showNotesWith(({ label, waitMs }) => {
    clearTimeout(noteTimer);
    onNote(`${label} ${Math.ceil(waitMs / 1000)} s`);
    noteTimer = setTimeout(() => onNote(null), waitMs);
  });
  return {
    redraw() {
      if (closed === null) app.rerender(frame());
    },
    close: () =>
      (closed ??= (async () => {
        showNotesWith(null);
        clearTimeout(noteTimer);
        app.unmount();
        await app.waitUntilExit();
      })()),
  };
}

function Screen({ draw, onKey }: Pick<FullScreenOptions, 'draw' | 'onKey'>) {
  const { columns, rows } = useWindowSize();
  useInput((input, key) => {
    for (const name of toKeys(input, key)) onKey(name);
  });
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      {draw(columns, rows).map((line, index) => (
        // A line has no identity but its place.
        <Text key={index} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}

const NAMED = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  // Terminals send one or the other for the same key.
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** Keys that a terminal sends as one character. */
const CHARACTERS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u0003': 'ctrl-c',
  '\u001b': 'esc',
  '\u007f': 'backspace',
};

/** Keys that are pressed quickly, and pasted text, arrive together. */
function toKeys(input: string, key: Key): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  const named = NAMED.find(([name]) => key[name] === true);
  if (named !== undefined) return [named[1]];
  if (key.ctrl) return [`ctrl-${input}`];
  return key.meta ? [] : [...input].map((character) => CHARACTERS[character] ?? character);
}
