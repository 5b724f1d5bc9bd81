import type { Check } from './check.ts';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { displayWidth, sanitize } from '../../terminal/text.ts';

const TONES: Readonly<Record<Check['status'], Tone>> = { pass: 'good', warn: 'warn', fail: 'bad', skip: 'muted' };

/** Renders checks. Long text is wrapped within its column. @param width width of the terminal */
export function renderChecks(checks: readonly Check[], width: number, paint: Paint): string {
  const nameWidth = checks.reduce((widest, { name }) => Math.max(widest, name.length), 0);
  const indent = ' '.repeat(nameWidth + 8);
  const rest = Math.max(20, width - indent.length);
  return checks
    .map(({ name, status, detail, hint }) => {
      const lines = [...wrapWords(sanitize(detail), rest), ...(hint === null ? [] : wrapWords(sanitize(hint), rest))];
      const head = `${paint(TONES[status], status.toUpperCase())}  ${paint('strong', name.padEnd(nameWidth))}  `;
      return `${head}${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}

function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && displayWidth(`${line} ${word}`) <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
