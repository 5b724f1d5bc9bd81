import type { PlatformEvent, RequestReceipt, Sync } from '@svc/sdk';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { toSecond } from '../../format/times.ts';
import { SYNC_TONES } from './syncs.ts';
import { EVENT_TONES } from './events.ts';
import { truncate } from '../../terminal/table.ts';
import { displayWidth, sanitize } from '../../terminal/text.ts';

/** A cell with a fixed width, because rows arrive one by one. */
export interface TailCell {
  readonly text: string;
  readonly width: number;
  readonly tone?: Tone | undefined;
}

/** Formats a row as one line. Cells that do not fit are omitted from the right. */
export function tailLine(cells: readonly TailCell[], width: number, paint: Paint): string {
  let line = '';
  let used = 0;
  for (const { text, width: cellWidth, tone } of cells) {
    const room = width - used;
    if (room < Math.min(8, cellWidth)) break;
    const shown = truncate(sanitize(text), room);
    const taken = displayWidth(shown);
    const space = ' '.repeat(Math.max(0, cellWidth - taken) + 2);
    line += (tone === undefined || shown === '' ? shown : paint(tone, shown)) + space;
    used += taken + space.length;
  }
  return `${line.trimEnd()}\n`;
}

export function syncCells(sync: Sync): TailCell[] {
  return [
    timeCell(sync.createdAt),
    { text: sync.status, width: 7, tone: SYNC_TONES[sync.status] },
    { text: String(sync.id), width: 7 },
    { text: sync.eventType, width: 12 },
    { text: sync.toEmail, width: 28 },
    { text: sync.platform, width: 10 },
    { text: `connection ${sync.connectionId}`, width: 14 },
    { text: sync.sourceId === null ? 'source deleted' : `source ${sync.sourceId}`, width: 12 },
    { text: sync.error === null ? '' : JSON.stringify(sync.error), width: 20 },
  ];
}

export function requestCells({ createdAt, id, sourceId, connectionId, path }: RequestReceipt): TailCell[] {
  return [
    timeCell(createdAt),
    { text: String(id), width: 7 },
    { text: sourceId === null ? 'source deleted' : `source ${sourceId}`, width: 12 },
    { text: connectionId === null ? '' : `connection ${connectionId}`, width: 14 },
    { text: path, width: 20 },
  ];
}

export function eventCells({ createdAt, type, id, summary }: PlatformEvent): TailCell[] {
  return [
    timeCell(createdAt),
    { text: type, width: 14, tone: EVENT_TONES[type] },
    { text: id, width: 14 },
    { text: summary, width: 20 },
  ];
}

function timeCell(timestamp: string): TailCell {
  return { text: toSecond(timestamp), width: 20, tone: 'muted' };
}
