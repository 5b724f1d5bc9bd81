import type { Sync } from '@svc/sdk';
import wrapAnsi from 'wrap-ansi';
import type { Paint } from '../../terminal/colors.ts';
import { sanitize } from '../../terminal/text.ts';
import { wrapText } from '../../terminal/wrap.ts';
import { renderExplanation } from '../explain/render.ts';
import { helpLines } from './help.ts';
import { type Band, layOut, rowsOf, type Size } from './layout.ts';
import { filterPanelRows, PANEL_IDS, type Panel, type PanelId, type PanelRow } from './panel-rows.ts';
import { createPanels } from './panels.ts';
import type { Page, Surroundings, TopState } from './state.ts';
import { canWrite, type TopData } from './top-data.ts';

/** Everything that the screen shows, before it is drawn. */
export interface Model extends Surroundings {
  readonly state: TopState;
  readonly data: TopData;
  readonly size: Size;
  readonly panels: Readonly<Record<PanelId, Panel>>;
  /** The filtered rows of each panel. */
  readonly shown: ReadonlyMap<PanelId, readonly PanelRow[]>;
  readonly bands: readonly Band[];
  readonly page: ShownPage | null;
}

interface ShownPage {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Lines of the screen that no panel has: the first and the last. */
const FRAME = 2;

export function createModel(state: TopState, data: TopData, size: Size, paint: Paint): Model {
  const nowMs = Date.now() + data.clockOffsetMs;
  const panels = createPanels(data, nowMs);
  const shown = new Map(
    PANEL_IDS.map((id) => [id, filterPanelRows(panels[id].rows, state.filters[id] ?? '')] as const),
  );
  const rows = shown.get(state.focus) ?? [];
  const height = size.rows - FRAME;
  const counts = Object.fromEntries(PANEL_IDS.map((id) => [id, panels[id].rows.length])) as Record<PanelId, number>;
  const bands = layOut({ height, columns: size.columns, counts, zoomed: state.isZoomed ? state.focus : null });
  const box = bands
    .flatMap(({ stacks }) => stacks.flatMap(({ boxes }) => boxes))
    .find(({ panel }) => panel === state.focus);
  const index = indexOfSelected(rows, state.selected[state.focus]);
  const page = state.page === null ? null : showPage(state.page, panels, data, size.columns, paint);
  const sync = syncOf(state, data, panels, rows[index]);
  return {
    ...{ state, data, size, panels, shown, bands, page, rows, index },
    height: box === undefined ? 1 : Math.max(1, rowsOf(box)),
    pageLines: page?.lines.length ?? 0,
    pageHeight: height - 1,
    ...sync,
    canWrite: canWrite(data),
  };
}

export function indexOfSelected(rows: readonly PanelRow[], key: string | undefined): number {
  return Math.max(
    0,
    rows.findIndex((row) => row.key === key),
  );
}

function syncOf(
  { page }: TopState,
  { syncs }: TopData,
  panels: Readonly<Record<PanelId, Panel>>,
  selected: PanelRow | undefined,
): { syncId: number | null; sync: Sync | null } {
  const find = (id: number | null) => syncs?.find((sync) => sync.id === id) ?? null;
  if (page?.kind === 'explanation') {
    const explained = page.result !== null && 'sync' in page.result ? page.result.sync : null;
    return { syncId: page.syncId, sync: explained ?? find(page.syncId) };
  }
  if (page?.kind === 'help') return { syncId: null, sync: null };
  const row = page === null ? selected : findRow(panels, page);
  const syncId = row?.syncId ?? null;
  return { syncId, sync: find(syncId) };
}

function findRow(panels: Readonly<Record<PanelId, Panel>>, page: Page & { kind: 'row' }): PanelRow | undefined {
  return panels[page.panel].rows.find(({ key }) => key === page.key);
}

function showPage(
  page: Page,
  panels: Readonly<Record<PanelId, Panel>>,
  data: TopData,
  width: number,
  paint: Paint,
): ShownPage {
  // Long lines are split where a terminal would split them.
  const toLines = (text: string) =>
    wrapAnsi(text.trimEnd(), width, { hard: true, wordWrap: false, trim: false }).split('\n');
  switch (page.kind) {
    case 'help':
      return { title: 'Keys', lines: helpLines((text) => wrapText(text, width - 2, '  '), canWrite(data)) };
    case 'row': {
      const row = findRow(panels, page);
      if (row === undefined) return { title: panels[page.panel].title, lines: ['It is no longer listed.'] };
      return { title: sanitize(row.title), lines: toLines(row.renderPage(width, paint)) };
    }
    case 'explanation': {
      const title = `Sync ${page.syncId}, explained`;
      if (page.result === null) return { title, lines: [paint('muted', 'Reading what happened to it …')] };
      if ('error' in page.result) return { title, lines: wrapText(page.result.error, width) };
      return { title, lines: toLines(renderExplanation(page.result, width, paint)) };
    }
  }
}
