import type { AccountStatusResponse, HealthReady, PlatformEventWithDeliveries } from '@svc/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { printError } from '../command/print-error.ts';
import { startProgress } from './progress.ts';
import { printNote, printNotice, startFreshLine, writeStderr } from './stderr.ts';
import { createRowEncoder } from '../format/row-encoder.ts';
import type { Paint } from './colors.ts';
import { renderEvent } from '../features/logs/events.ts';
import { healthLines } from '../features/status/health.ts';
import { printJson } from '../format/json.ts';
import { renderRecord } from '../format/record.ts';
import { renderStatus } from '../features/status/render.ts';
import { filterStdout, writeRendered, writeStdout } from './stdout.ts';
import { sanitize } from './text.ts';

const CLEAR = '\r\u001b[2K';
const written: string[] = [];

afterEach(() => void vi.unstubAllEnvs());
beforeEach(() => {
  written.length = 0;
  vi.stubEnv('TERM', 'xterm');
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

test('clears the progress line before other output', () => {
  const progress = showProgress();
  writeStderr('Error: x\n');
  progress.end();
  expect(written).toEqual([`${CLEAR}1 page`, CLEAR, 'Error: x\n']);
});

test('escapes control characters in notices', () => {
  printNotice('Stored: \u001b[2Jx@example.com\nand more');
  expect(written).toEqual(['Stored: \\u001b[2Jx@example.com and more\n']);
});

test('a note is a line of JSON with --json', () => {
  printNote('2 are shown\u001b[2J', false, { shown: 2 });
  printNote('2 are shown\u001b[2J', true, { shown: 2 });
  expect(written).toEqual(['2 are shown\\u001b[2J\n', '{"note":"2 are shown\\u001b[2J","shown":2}\n']);
});

test('starts a new line after an incomplete row on a terminal', async () => {
  setTerminal(process.stdout, true);
  await writeStdout('[\n{"id":1}');
  printNotice('waiting');
  printNotice('still waiting');
  setTerminal(process.stdout, false);
  await writeStdout('[\n{"id":1}');
  printNotice('waiting');
  expect(written).toEqual(['[\n{"id":1}', '\n', 'waiting\n', 'still waiting\n', '[\n{"id":1}', 'waiting\n']);
});

test('after ^C: clears the progress line or starts a new line', () => {
  setTerminal(process.stderr, true);
  const progress = showProgress();
  startFreshLine();
  startFreshLine();
  setTerminal(process.stderr, false);
  progress.end();
  startFreshLine();
  expect(written).toEqual([`${CLEAR}1 page`, CLEAR, '\n']);
});

describe('text of the service', () => {
  // OSC 52 as one byte (C1) and as two, a bidi override, a right-to-left mark.
  const row = { name: 'a\u009d52;c;x\u009c b\u001b]0;x\u0007 c\u202ed \u200f e\ttab' };
  const csv = createRowEncoder('csv', null, ['name']);
  const print = async () => {
    await printJson(row);
    await writeStdout(`${JSON.stringify(row)}\n`);
    await writeStdout(csv.encode([row]));
    printError(new Error(row.name), { isJson: true, credentials: null, write: writeStderr });
    printNote(row.name, true, row);
  };
  const onTerminal = async (run: () => Promise<void>) => {
    for (const stream of [process.stdout, process.stderr]) setTerminal(stream, true);
    await run();
    for (const stream of [process.stdout, process.stderr]) setTerminal(stream, false);
  };

  test('is written unchanged into pipes and files', async () => {
    await print();
    expect(JSON.parse(written[0] ?? '')).toEqual(row);
    expect(written[1]).toBe(`${JSON.stringify(row)}\n`);
    expect(written[2]).toBe(`${row.name}\n`);
    for (const text of written) expect(text).toContain('\u009d');
  });

  test('is escaped on a terminal and stays valid JSON', async () => {
    await onTerminal(print);
    expect(JSON.parse(written[0] ?? '')).toEqual(row);
    expect(JSON.parse(written[1] ?? '')).toEqual(row);
    expect(written[2]).toBe('a\\u009d52;c;x\\u009c b\\u001b]0;x\\u0007 c\\u202ed \\u200f e\ttab\n');
    expect(JSON.parse(written[3] ?? '').error.message).toBe(row.name);
    expect(JSON.parse(written[4] ?? '').name).toBe(row.name);
    expect(written.join('').replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  test('keeps the line ends of CSV on a terminal', async () => {
    await onTerminal(() => writeStdout('a,b\r\n1,"x\ry"\r\n'));
    expect(written).toEqual(['a,b\r\n1,"x\\u000dy"\r\n']);
    expect(sanitize('a\r\nb\rc')).toBe('a b\\u000dc');
  });

  test('is escaped in names and ids', () => {
    const evil = `x\u001b[2J\u009d52;c;x\u009c`;
    const paint: Paint = (_tone, text) => text;
    const event: PlatformEventWithDeliveries = JSON.parse(
      JSON.stringify({ id: evil, type: evil, createdAt: evil, summary: evil, data: { [evil]: evil }, deliveries: [] }),
    );
    const issue = { code: evil, connectionId: evil, crm: evil, message: evil, remediation: evil, docUrl: evil };
    const connection = {
      ...{ connectionId: evil, crm: evil, ready: true, crmConnection: { status: evil, organizationDomain: evil } },
      ...{ sources: { status: evil, count: 1, platforms: [evil] }, destinations: { status: evil, count: 1 } },
      blocklists: { status: evil, enabledCount: 1, lastError: evil },
    };
    const status: AccountStatusResponse = JSON.parse(
      JSON.stringify({ checkedAt: evil, connections: [connection], blockers: [issue], warnings: [issue] }),
    );
    const health: HealthReady = JSON.parse(JSON.stringify({ status: evil, checks: { [evil]: evil } }));
    for (const text of [
      renderEvent(event, 80, paint),
      ...[true, false].map((isLong) => renderStatus({ status, failing: [] }, { width: 200, paint, isLong })),
      renderRecord(healthLines(health), paint),
    ]) {
      expect(text).toContain('\\u001b');
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  test('is escaped in jq output; colours are not', async () => {
    await onTerminal(async () => {
      filterStdout(async () => `${row.name}\n`);
      await writeStdout('{}');
      filterStdout(null);
      await writeRendered('\u001b[31mred\u001b[39m\n');
    });
    expect(written).toEqual([expect.stringContaining('\\u009d52'), '\u001b[31mred\u001b[39m\n']);
  });
});
