import { beforeEach, expect, test, vi } from 'vitest';
import { startProgress } from './progress.ts';
import { printNote, printNotice, startFreshLine, writeStderr } from './stderr.ts';
import { writeStdout } from './stdout.ts';

const CLEAR = '\r\u001b[2K';
const written: string[] = [];

beforeEach(() => {
  written.length = 0;
  const keep = (chunk: string | Uint8Array) => written.push(String(chunk)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
});

const showProgress = () => {
  const progress = startProgress({ isTTY: true, columns: 80, write: (text: string) => written.push(text) > 0 });
  progress.show('1 page');
  return progress;
};

function setTerminal(stream: NodeJS.WriteStream, isTTY: boolean): void {
  Object.defineProperty(stream, 'isTTY', { value: isTTY, configurable: true });
}

test('the progress line goes before anything else comes', () => {
  const progress = showProgress();
  writeStderr('Error: x\n');
  progress.end();
  expect(written).toEqual([`${CLEAR}1 page`, CLEAR, 'Error: x\n']);
});

test('a notice cannot drive the terminal', () => {
  printNotice('Stored: \u001b[2Jx@example.com\nand more');
  expect(written).toEqual(['Stored: \\u001b[2Jx@example.com and more\n']);
});

test('where JSON was asked for, a note is a line of JSON', () => {
  printNote('2 are shown\u001b[2J', false, { shown: 2 });
  printNote('2 are shown\u001b[2J', true, { shown: 2 });
  expect(written).toEqual(['2 are shown\\u001b[2J\n', '{"note":"2 are shown\\u001b[2J","shown":2}\n']);
});

test('a terminal that stands behind half a row gets a new line first', async () => {
  setTerminal(process.stdout, true);
  await writeStdout('[\n{"id":1}');
  printNotice('waiting');
  printNotice('still waiting');
  setTerminal(process.stdout, false);
  await writeStdout('[\n{"id":1}');
  printNotice('waiting');
  expect(written).toEqual(['[\n{"id":1}', '\n', 'waiting\n', 'still waiting\n', '[\n{"id":1}', 'waiting\n']);
});

test('after ^C: over the progress line, or on a new one', () => {
  setTerminal(process.stderr, true);
  const progress = showProgress();
  startFreshLine();
  startFreshLine();
  setTerminal(process.stderr, false);
  progress.end();
  startFreshLine();
  expect(written).toEqual([`${CLEAR}1 page`, CLEAR, '\n']);
});
