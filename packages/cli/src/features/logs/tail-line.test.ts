import type { Sync } from '@svc/sdk';
import { expect, test } from 'vitest';
import { paintNothing } from '../../terminal/colors.ts';
import { eventCells, requestCells, syncCells, tailLine } from './tail-line.ts';

const createdAt = '2026-01-15T11:58:03.120Z';
const SYNC: Sync = {
  id: 700123,
  status: 'error',
  connectionId: 1,
  sourceId: 4,
  eventType: 'EMAIL_SENT',
  toEmail: 'kim@example.org',
  platform: 'smartlead',
  payloadId: null,
  error: { code: 'RATE_LIMIT' },
  createdAt,
};

test('a sync at 80 and at 200 columns', () => {
  expect(tailLine(syncCells(SYNC), 80, paintNothing)).toBe(
    '2026-01-15 11:58:03Z  error    700123   EMAIL_SENT    kim@example.org\n',
  );
  expect(tailLine(syncCells(SYNC), 200, paintNothing)).toBe(
    '2026-01-15 11:58:03Z  error    700123   EMAIL_SENT    kim@example.org               smartlead   connection 1    source 4      {"code":"RATE_LIMIT"}\n',
  );
});

test.each([30, 60, 80, 120, 200])('no line is wider than %i columns', (width) => {
  const toEmail = `${'日本'.repeat(20)}@example.org`;
  for (const cells of [
    syncCells({ ...SYNC, toEmail }),
    requestCells({ id: 1, sourceId: null, connectionId: null, path: 'a'.repeat(300), createdAt }),
    eventCells({
      id: 'osevt_1',
      type: 'sync.failed',
      summary: 'Syncs fail '.repeat(20),
      data: {},
      connectionId: null,
      sourceId: null,
      delivered: false,
      createdAt,
    }),
  ]) {
    const line = tailLine(cells, width, paintNothing).trimEnd();
    expect(line.length + (line.match(/[日本]/g)?.length ?? 0)).toBeLessThanOrEqual(width);
  }
});

test('escapes control characters and colours the status', () => {
  const line = tailLine(syncCells({ ...SYNC, toEmail: '\u001b[2Jx' }), 200, (tone, text) => `<${tone} ${text}>`);
  expect(line).not.toContain('\u001b');
  expect(line).toContain('<bad error>');
});
