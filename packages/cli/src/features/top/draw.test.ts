import { describe, expect, test } from 'vitest';
import { paintFor, paintNothing } from '../../terminal/colors.ts';
import { displayWidth } from '../../terminal/text.ts';
import { drawScreen } from './draw.ts';
import { createModel } from './model.ts';
import { SAMPLE, sampleSync } from './sample.fixture.ts';
import { START, type TopState } from './state.ts';
import { NOTHING_READ, type TopData } from './top-data.ts';

const CONNECTION = { host: 'sync.example.com', trouble: null, note: null };

function draw(columns: number, rows: number, data: TopData = SAMPLE, state: TopState = START): string[] {
  return drawScreen(createModel(state, data, { columns, rows }, paintNothing), CONNECTION, paintNothing);
}

/** Names that would break a screen that trusts them. */
const HOSTILE = [
  '\u001b[2J\u001b[31mred',
  'a\r\nb\tc\u0007',
  '\u202egnp.exe',
  '👩‍👩‍👧‍👦'.repeat(20),
  '漢字'.repeat(60),
  'e\u0301'.repeat(100),
  '🇩🇪🏳️‍🌈👍🏽',
  '\u{e0041}\u200b\u2066x',
  'x'.repeat(5000),
];
const hostile: TopData = {
  ...SAMPLE,
  syncs: HOSTILE.map((text, index) =>
    sampleSync(900 - index, { toEmail: text, status: 'error', error: { message: text }, platform: text.slice(0, 40) }),
  ),
  failing: HOSTILE.map((text, index) => ({
    ...{ connectionId: 11, sourceId: 50 + index, platform: text.slice(0, 30), since: '2026-01-15T10:00:00.000Z' },
    ...{ reason: text, remediation: text },
  })),
};
const CONTROL = /[\p{Cc}\p{Bidi_Control}]/u;

const STATES: readonly (readonly [string, TopState])[] = [
  ['the panels', START],
  ['a panel alone', { ...START, isZoomed: true }],
  ['a filter', { ...START, isTyping: true, filters: { log: HOSTILE[0] ?? '' } }],
  ['a page', { ...START, page: { kind: 'row', panel: 'log', key: '900' } }],
  ['the keys', { ...START, page: { kind: 'help' } }],
  ['a question', { ...START, question: hostile.syncs?.[0] ?? null }],
];

describe.each([
  [80, 24],
  [100, 30],
  [139, 50],
  [140, 24],
  [200, 60],
])('%i columns and %i rows', (columns, rows) => {
  test.each(STATES)('%s fill the screen exactly, whatever the names', (_name, state) => {
    for (const data of [SAMPLE, hostile, NOTHING_READ]) {
      const lines = draw(columns, rows, data, state);
      expect(lines).toHaveLength(rows);
      for (const line of lines) {
        expect([line, displayWidth(line) <= columns]).toEqual([line, true]);
        expect(line).not.toMatch(CONTROL);
      }
    }
  });

  test('every panel and the keys are visible', () => {
    const text = draw(columns, rows).join('\n');
    for (const part of ['1 Connections', '2 Failing', '3 Rates', '4 Block lists', '5 Log', 'person999@', 'q quit'])
      expect(text).toContain(part);
  });
});

test.each([
  [79, 24],
  [80, 23],
  [20, 5],
])('%ix%i is too small', (columns, rows) => {
  const lines = draw(columns, rows);
  expect(lines).toHaveLength(rows);
  expect(lines[0]).toContain(`Too small: ${columns}x${rows}`.slice(0, 19));
});

test('only basic colours are used, and the background never', () => {
  const paint = paintFor({ isTTY: true }, { noColor: false, forceColor: null, isDumbTerminal: false });
  const lines = drawScreen(createModel(START, SAMPLE, { columns: 80, rows: 24 }, paint), CONNECTION, paint);
  const codes = new Set(
    [...lines.join('').matchAll(new RegExp(`${'\u001b'}\\[([\\d;]*)m`, 'g'))].map(([, code]) => code),
  );
  expect(
    [...codes].filter((code) => !['1', '2', '7', '22', '27', '31', '32', '33', '39'].includes(code ?? '')),
  ).toEqual([]);
  expect(codes.size).toBeGreaterThan(6);
});

test('a service that does not answer is named in the first line', () => {
  const model = createModel(START, SAMPLE, { columns: 80, rows: 24 }, paintNothing);
  const [first] = drawScreen(model, { ...CONNECTION, trouble: 'Retrying in 4 s: no connection' }, paintNothing);
  expect(first).toBe('svc top  Retrying in 4 s: no connection');
});

test('a read-only key is offered no retry', () => {
  const me = SAMPLE.me && { ...SAMPLE.me, apiKey: { ...SAMPLE.me.apiKey, scopes: ['read' as const] } };
  expect(draw(120, 30).at(-1)).toContain('r retry');
  expect(draw(120, 30, { ...SAMPLE, me }).at(-1)).not.toContain('r retry');
});
