/** Breaks text into lines of at most `width` columns at spaces; line breaks are kept. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

/** Returns two columns; the second is wrapped. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const first = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.flatMap(([name, text]) =>
    wrapText(text, Math.max(24, width - first - 4)).map((line, index) =>
      `  ${(index === 0 ? name : '').padEnd(first)}  ${line}`.trimEnd(),
    ),
  );
}
