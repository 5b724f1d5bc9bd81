/** Renders a terminal screen as an SVG of text. */

const COLUMN = 8.4;
const LINE = 18;
const MARGIN = 14;
/** Space between the command and the screen. */
const GAP = 8;

/** The colour codes that the CLI uses. */
const COLORS: Readonly<Record<number, string>> = { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 39: '#d1d7e0' };
const DEFAULT = COLORS[39];
const BACKGROUND = '#151b23';

interface Style {
  readonly color: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  /** Whether text and background are swapped. */
  readonly isInverse: boolean;
}

const PLAIN: Style = { color: DEFAULT, isBold: false, isDim: false, isInverse: false };

/**
 * Returns an SVG of a command and the screen after it.
 *
 * @param screen output of `tmux capture-pane -e`
 * @throws Error for an SGR code that the picture does not support
 */
export function renderPicture(command: string, screen: string, columns: number): string {
  const lines = screen.split('\n');
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const typed = wrapCommand(command, columns);
  const top = typed.length * LINE + GAP;
  const height = top + lines.length * LINE + MARGIN;
  let style = PLAIN;
  const drawn = lines.flatMap((line, row) => {
    const { texts, rest } = drawLine(line, top + (row + 1) * LINE, style);
    style = rest;
    return texts;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(command)}</title>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${typed.map((words, row) => `<text x="${row === 0 ? MARGIN : MARGIN + 4 * COLUMN}" y="${(row + 1) * LINE + 2}" fill="#9198a1">${escape(words)}</text>`).join('\n')}
${drawn.join('\n')}
</g>
</svg>
`;
}

/** Splits a long command into lines that end with a backslash. */
function wrapCommand(command: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '$';
  for (const word of command.split(' ')) {
    if (line.length + word.length < columns - 8) line = `${line} ${word}`.trimStart();
    else {
      lines.push(`${line} \\`);
      line = word;
    }
  }
  return [...lines, line];
}

/** Returns one `<text>` for each part of one style, with a fixed width in any font. */
function drawLine(line: string, y: number, before: Style): { texts: string[]; rest: Style } {
  const texts: string[] = [];
  let style = before;
  let column = 0;
  // Even parts are text, odd parts the codes of a sequence.
  for (const [index, part] of line.split(SGR).entries()) {
    if (index % 2 === 1) {
      style = part.split(';').reduce((changed, code) => applyCode(changed, Number(code)), style);
      continue;
    }
    // SVG collapses repeated spaces, so texts do not contain them.
    for (const piece of part.split(/( {2,})/).filter((each) => each !== '')) {
      if (piece.trim() !== '' || style.isInverse) texts.push(drawText(piece, column, y, style));
      column += [...piece].length;
    }
  }
  return { texts, rest: style };
}

const SGR = new RegExp(`${String.fromCodePoint(0x1b)}\\[([\\d;]*)m`);

function drawText(text: string, column: number, y: number, { color, isBold, isDim, isInverse }: Style): string {
  const start = isInverse ? 0 : text.length - text.trimStart().length;
  const shown = isInverse ? text : text.trim();
  const x = (MARGIN + (column + start) * COLUMN).toFixed(1);
  const length = ([...shown].length * COLUMN).toFixed(1);
  const weight = isBold ? ' font-weight="bold"' : '';
  const opacity = isDim ? ' opacity="0.65"' : '';
  // A little wider, so that no seam shows between the parts of a line.
  const behind = isInverse
    ? `<rect x="${x}" y="${y - LINE + 4}" width="${Number(length) + 1}" height="${LINE}" fill="${color}"/>`
    : '';
  const fill = isInverse ? BACKGROUND : color;
  return `${behind}<text x="${x}" y="${y}" textLength="${length}" fill="${fill}"${weight}${opacity}>${escape(shown)}</text>`;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 7) return { ...style, isInverse: true };
  if (code === 27) return { ...style, isInverse: false };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  // 49 resets the background, which never changes.
  if (code === 49) return style;
  const color = COLORS[code];
  if (color === undefined) throw new Error(`Unsupported SGR code ${code}`);
  return { ...style, color };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
