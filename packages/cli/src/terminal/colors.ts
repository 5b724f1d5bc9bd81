import { readTerminalEnvironment, type TerminalEnvironment } from './environment.ts';

/** The meaning of text, which determines its colour. */
export type Tone = 'good' | 'warn' | 'bad' | 'muted' | 'strong' | 'selected';

export type Paint = (tone: Tone, text: string) => string;

// Basic colours, which are readable in every theme.
const CODES: Record<Tone, readonly [open: number, close: number]> = {
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  muted: [2, 22],
  strong: [1, 22],
  // Text and background are swapped, which works in light and dark themes.
  selected: [7, 27],
};

export const paintNothing: Paint = (_tone, text) => text;

const paintAnsi: Paint = (tone, text) => {
  const [open, close] = CODES[tone];
  return `\u001b[${open}m${text}\u001b[${close}m`;
};

/** Returns the paint function of a stream. */
export function paintFor(stream: { isTTY?: boolean }, environment = readTerminalEnvironment()): Paint {
  return isColored(stream, environment) ? paintAnsi : paintNothing;
}

function isColored(stream: { isTTY?: boolean }, { noColor, forceColor, isDumbTerminal }: TerminalEnvironment): boolean {
  if (forceColor !== null) return forceColor;
  return stream.isTTY === true && !noColor && !isDumbTerminal;
}
