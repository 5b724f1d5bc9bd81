import { type Paint } from '../../terminal/colors.ts';
import { truncate } from '../../terminal/table.ts';
import { displayWidth, sanitize } from '../../terminal/text.ts';
import { findProblems } from '../status/problems.ts';
import { renderVerdict } from '../status/render.ts';
import { toShortTime } from './ages.ts';
import { drawRows, drawTitle, fill } from './draw-lines.ts';
import { type Box, PANEL_GAP, SIZE_MIN, type Size } from './layout.ts';
import { indexOfSelected, type Model } from './model.ts';
import { PANEL_IDS } from './panel-rows.ts';
import { canWrite } from './top-data.ts';

/** What the first line says beside the data. */
export interface Connection {
  /** Host and port of the service. */
  readonly host: string;
  /** Why the newest data is missing; null if the service answers. */
  readonly trouble: string | null;
  /** A wait, such as that for the rate limit. */
  readonly note: string | null;
}

function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SIZE_MIN.columns || rows < SIZE_MIN.rows;
}

/** Draws exactly as many lines as the terminal has. */
export function drawScreen(model: Model, connection: Connection, paint: Paint): string[] {
  const { size, bands, page, state, pageHeight } = model;
  const { columns, rows } = size;
  if (isTooSmall(size)) {
    const text = `Too small: ${columns}x${rows}. svc top needs ${SIZE_MIN.columns}x${SIZE_MIN.rows}; q quits.`;
    return fill([truncate(text, columns)], rows);
  }
  const body =
    page === null
      ? bands.flatMap(({ height, stacks }) => {
          const drawn = stacks.map(({ width, boxes }) => ({
            width,
            lines: boxes.flatMap((box) => drawBox(model, box, width, paint)),
          }));
          return Array.from({ length: height }, (_, line) => joinSideBySide(drawn, line));
        })
      : [
          drawTitle(page.title, pagePosition(model), { width: columns, paint, isFocused: true }),
          ...fill(page.lines.slice(clampScroll(state.scroll, page.lines.length, pageHeight)), pageHeight),
        ];
  return fill([drawHeader(model, connection, paint), ...fill(body, rows - 2), drawFooter(model, paint)], rows);
}

function joinSideBySide(stacks: readonly { width: number; lines: readonly string[] }[], line: number): string {
  return stacks
    .map(({ width, lines }, index) => {
      const text = lines[line] ?? '';
      return index === stacks.length - 1
        ? text
        : text + ' '.repeat(Math.max(0, width + PANEL_GAP - displayWidth(text)));
    })
    .join('');
}

function drawBox({ state, panels, shown }: Model, box: Box, width: number, paint: Paint): string[] {
  const { panel: id, height, hasHeader } = box;
  const panel = panels[id];
  const rows = shown.get(id) ?? [];
  const isFocused = id === state.focus;
  const filter = state.filters[id] ?? '';
  const isTyping = isFocused && state.isTyping;
  const title = [
    `${PANEL_IDS.indexOf(id) + 1} ${panel.title}`,
    ...(filter === '' && !isTyping ? [] : [`/${sanitize(filter)}${isTyping ? '_' : ''}`]),
  ].join(' ');
  const summary = filter === '' ? panel.summary : `${rows.length} of ${panel.rows.length} rows`;
  const options = { width, height: height - 1, paint, hasHeader, isFocused };
  const shownPanel = filter === '' ? panel : { ...panel, whenEmpty: 'No row matches the filter. Esc clears it.' };
  return [
    drawTitle(title, summary, { width: width - 1, paint, isFocused }),
    ...drawRows(shownPanel, rows, { ...options, index: indexOfSelected(rows, state.selected[id]) }),
  ];
}

function clampScroll(scroll: number, lines: number, height: number): number {
  return Math.max(0, Math.min(scroll, lines - height));
}

function pagePosition({ state, pageLines, pageHeight }: Model): string {
  if (pageLines <= pageHeight) return '';
  const start = clampScroll(state.scroll, pageLines, pageHeight);
  return `lines ${start + 1} to ${start + pageHeight} of ${pageLines}`;
}

function drawHeader({ data, size, state }: Model, { host, trouble, note }: Connection, paint: Paint): string {
  const { me, status, failing } = data;
  const key = me === null ? '' : `key ${me.apiKey.name}${canWrite(data) ? '' : ' (read only)'}`;
  const left = ['svc top', host, key]
    .map(sanitize)
    .filter((text) => text !== '')
    .join('  ');
  const width = size.columns - 1;
  if (trouble !== null) {
    const text = truncate(sanitize(trouble), width - 'svc top  '.length);
    return `${paint('strong', 'svc top')}  ${paint('bad', text)}`;
  }
  const verdict =
    status === null ? 'Connecting …' : renderVerdict(status.ready, findProblems(status, failing ?? []).length, paint);
  const time = status === null ? '' : toShortTime(status.checkedAt, Date.parse(status.checkedAt));
  const right = [
    ...(state.isPaused ? [paint('warn', 'Paused')] : []),
    ...(note === null ? [] : [paint('warn', note)]),
    verdict,
    paint('muted', time),
  ].join('  ');
  const room = width - displayWidth(right) - 2;
  const shownLeft = truncate(left, Math.max('svc top'.length, room));
  const space = ' '.repeat(Math.max(2, width - displayWidth(shownLeft) - displayWidth(right)));
  return `${paint('strong', 'svc top')}${shownLeft.slice('svc top'.length)}${space}${right}`;
}

function drawFooter({ state, size, canWrite: mayRetry, page, syncId }: Model, paint: Paint): string {
  const width = size.columns - 1;
  if (state.question !== null) {
    const { id, eventType, toEmail } = state.question;
    const question = `Retry sync ${id} (${eventType} of ${toEmail})? [y/N] `;
    return paint('strong', truncate(sanitize(question), width));
  }
  if (state.message !== null) return paint(state.message.tone, truncate(sanitize(state.message.text), width));
  if (state.isTyping)
    return hints(
      [
        ['type', 'to filter'],
        ['Enter', 'keep'],
        ['Esc', 'clear'],
      ],
      [],
      width,
      paint,
    );
  const sync: Hint[] = [
    ...(syncId === null || state.page?.kind === 'explanation' ? [] : [['e', 'explain'] as const]),
    ...(syncId === null || !mayRetry ? [] : [['r', 'retry'] as const]),
  ];
  const own: Hint[] =
    page === null
      ? [
          ['1-5', 'panel'],
          ['Enter', 'open'],
          ...sync,
          ['/', 'filter'],
          ['z', 'zoom'],
          ['p', state.isPaused ? 'go on' : 'pause'],
          ['R', 'refresh'],
        ]
      : [['Esc', 'back'], ['j k', 'scroll'], ...sync];
  return hints(
    own,
    [
      ['?', 'keys'],
      ['q', 'quit'],
    ],
    width,
    paint,
  );
}

type Hint = readonly [key: string, meaning: string];

/** Shows as many hints as fit; the last ones always. */
function hints(own: readonly Hint[], always: readonly Hint[], width: number, paint: Paint): string {
  const lengthOf = (list: readonly Hint[]) =>
    list.reduce((sum, [key, meaning]) => sum + key.length + meaning.length + 3, 0);
  let shown = own;
  while (shown.length > 0 && lengthOf([...shown, ...always]) > width) shown = shown.slice(0, -1);
  return [...shown, ...always].map(([key, meaning]) => `${paint('strong', key)} ${paint('muted', meaning)}`).join('  ');
}
