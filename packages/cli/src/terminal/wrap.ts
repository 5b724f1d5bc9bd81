import { displayWidth, sanitize } from './text.ts';

/**
 * Wraps text at spaces. Words that are wider than a line are split, except addresses and commands, which stay whole so that
 * they can be copied.
 *
 * @param width columns of the terminal; infinite for files and pipes
 * @param indent put before every line
 */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const room = Math.max(1, width - displayWidth(indent));
  const lines: string[] = [];
  let line = '';
  const words = sanitize(text).match(WORD) ?? [''];
  for (const word of words.flatMap((each) => splitWord(each, room))) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(joined) > room) {
      lines.push(indent + line);
      line = word;
    } else line = joined;
  }
  return [...lines, indent + line];
}

/** A command counts as one word: between backticks, or at the end of the text behind a colon. */
const WORD = /(?<=: )svc(?:-server)? .*|(?:`[^`]*`|\S)+/g;

function splitWord(word: string, room: number): string[] {
  if (displayWidth(word) <= room || /^https?:\/\/|`.*`|^svc(?:-server)? /.test(word)) return [word];
  const parts = [''];
  for (const character of word) {
    const part = (parts.at(-1) ?? '') + character;
    if (displayWidth(part) > room) parts.push(character);
    else parts[parts.length - 1] = part;
  }
  return parts;
}
