/** Breaks text into lines of at most `width` columns at spaces; line breaks are kept. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => fill(paragraph.split(' '), width, ' '));
}

/** The least columns for the text beside a name. */
const TEXT_MIN = 24;

/** Returns two columns; the second is wrapped. A name that leaves it no room stands on a line of its own. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const widest = Math.max(1, width - TEXT_MIN - 4);
  const first = Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= widest));
  return rows.flatMap(([name, text]) => {
    const lines = wrapText(text, Math.max(TEXT_MIN, width - first - 4));
    const beside = name.length <= first;
    return [
      ...(beside ? [] : wrapName(name, width - 2).map((line) => `  ${line}`)),
      ...lines.map((line, index) => `  ${(beside && index === 0 ? name : '').padEnd(first)}  ${line}`.trimEnd()),
    ];
  });
}

/** Breaks a list of values, such as `--status success|warning|error`, after a `|`. */
function wrapName(name: string, width: number): string[] {
  const [first = '', ...others] = fill(name.split(/(?<=\|)/), width, '');
  return [first, ...others.map((line) => `        ${line}`)];
}

/**
 * Breaks a command line at the spaces between its words, so that it can be copied as it is.
 *
 * @param prompt put before the first line
 */
export function wrapCommand(line: string, width: number, prompt: string): string[] {
  const indent = ' '.repeat(prompt.length + 4);
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const lines = fill(words, width - indent.length - ' \\'.length, ' ');
  return lines.map((part, index) => `${index === 0 ? prompt : indent}${part}${index < lines.length - 1 ? ' \\' : ''}`);
}

/** Puts as many pieces into each line as there is room for. */
function fill(pieces: readonly string[], width: number, separator: ' ' | ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    const joined = line === '' ? piece : line + separator + piece;
    if (line !== '' && joined.length > width) {
      lines.push(line);
      line = piece;
    } else line = joined;
  }
  return [...lines, line];
}
