import { readTerminalEnvironment, type TerminalEnvironment } from './environment.ts';

/** What a piece of text means, rather than how it looks. */
export type Tone = 'good' | 'warn' | 'bad' | 'muted' | 'strong';

export type Paint = (tone: Tone, text: string) => string;

// The 16 basic colours: a terminal's own theme makes them readable on light and dark.
const CODES: Record<Tone, readonly [open: number, close: number]> = {
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  muted: [2, 22],
  strong: [1, 22],
};

export const paintNothing: Paint = (_tone, text) => text;

const paintAnsi: Paint = (tone, text) => {
  const [open, close] = CODES[tone];
  return `\u001b[${open}m${text}\u001b[${close}m`;
};

/** Per stream: a piped stdout stays plain while stderr may still be coloured. */
export function paintFor(stream: { isTTY?: boolean }, environment = readTerminalEnvironment()): Paint {
  return isColored(stream, environment) ? paintAnsi : paintNothing;
}

function isColored(stream: { isTTY?: boolean }, { noColor, forceColor, isDumbTerminal }: TerminalEnvironment): boolean {
  if (forceColor !== null) return forceColor;
  return stream.isTTY === true && !noColor && !isDumbTerminal;
}
