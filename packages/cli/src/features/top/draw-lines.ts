import { type Paint, type Tone } from '../../terminal/colors.ts';
import { fitColumns, truncate } from '../../terminal/table.ts';
import { displayWidth } from '../../terminal/text.ts';
import type { Panel, PanelRow } from './panel-rows.ts';

/** Lines are this much narrower than their place: terminals differ in the width of some characters. */
const MARGIN = 1;

/** Fills a text up with spaces, or cuts it. */
function fitText(text: string, width: number): string {
  const shown = truncate(text, width);
  return shown + ' '.repeat(Math.max(0, width - displayWidth(shown)));
}

export interface TitleOptions {
  readonly width: number;
  readonly paint: Paint;
  readonly isFocused: boolean;
}

/** Draws a rule with a title and a summary at its end. */
export function drawTitle(title: string, summary: string, { width, paint, isFocused }: TitleOptions): string {
  const rule = isFocused ? '━' : '─';
  const shownTitle = truncate(title, width - 4);
  const room = width - displayWidth(shownTitle) - 4;
  const shownSummary = room < 8 || summary === '' ? '' : ` ${truncate(summary, room - 4)} `;
  const end = shownSummary === '' ? '' : rule;
  const length = Math.max(0, room - displayWidth(shownSummary) - end.length);
  const tone: Tone = isFocused ? 'strong' : 'muted';
  return [
    paint(tone, rule),
    isFocused ? paint('strong', ` ${shownTitle} `) : ` ${shownTitle} `,
    paint(tone, rule.repeat(length + 1)),
    shownSummary,
    paint(tone, end),
  ].join('');
}

export interface RowsOptions {
  readonly width: number;
  readonly height: number;
  readonly paint: Paint;
  readonly hasHeader: boolean;
  /** Index of the selected row, whose neighbours are visible. */
  readonly index: number;
  readonly isFocused: boolean;
}

/** Draws the visible rows of a panel as a table, and exactly as many lines as there is room for. */
export function drawRows(
  { columns, whenEmpty }: Panel,
  rows: readonly PanelRow[],
  { width, height, paint, hasHeader, index, isFocused }: RowsOptions,
): string[] {
  const room = width - MARGIN_LEFT - MARGIN;
  if (rows.length === 0) {
    const text = truncate(whenEmpty, room);
    return fill([`  ${paint('muted', text)}`], height);
  }
  const layout = fitColumns(rows, columns, room) ?? { columns: [], widths: [], gap: 1 };
  const gap = ' '.repeat(layout.gap);
  const shownRows = hasHeader ? height - 1 : height;
  const start = firstVisible(index, shownRows, rows.length);
  const lines = hasHeader
    ? [`  ${paint('muted', layout.columns.map(({ header }, at) => fitText(header, layout.widths[at] ?? 0)).join(gap))}`]
    : [];
  for (let row = start; row < Math.min(rows.length, start + shownRows); row += 1) {
    const cells = layout.columns.map(({ cells: all }, at) => {
      const { text, tone } = all[row] ?? { text: '' };
      return { text: fitText(text, layout.widths[at] ?? 0), tone };
    });
    if (isFocused && row === index) {
      const line = `> ${cells.map(({ text }) => text).join(gap)}`;
      lines.push(paint('selected', fitText(line, width - MARGIN)));
    } else {
      lines.push(`  ${cells.map(({ text, tone }) => (tone === undefined ? text : paint(tone, text))).join(gap)}`);
    }
  }
  return fill(lines, height);
}

/** Columns before the cells: the mark of the selected row and a space. */
const MARGIN_LEFT = 2;

/** The first row that is shown, so that the selected one is in the middle if possible. */
function firstVisible(index: number, height: number, count: number): number {
  return Math.max(0, Math.min(index - Math.floor(height / 2), count - height));
}

/** Cuts or extends lines to a height. */
export function fill(lines: readonly string[], height: number): string[] {
  return Array.from({ length: Math.max(0, height) }, (_, index) => lines[index] ?? '');
}
