import type { Sync } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import type { Explanation } from '../explain/explanation.ts';
import { PANEL_IDS, type PanelId, type PanelRow } from './panel-rows.ts';

/** What the user has chosen. */
export interface TopState {
  readonly focus: PanelId;
  /** Whether the panel in focus fills the screen. */
  readonly isZoomed: boolean;
  /** Keys of the selected rows. Without one, the first row is selected, also when new rows come. */
  readonly selected: { readonly [panel in PanelId]?: string };
  readonly filters: { readonly [panel in PanelId]?: string };
  /** Whether the filter is being typed. */
  readonly isTyping: boolean;
  /** What covers the panels. */
  readonly page: Page | null;
  /** The first visible line of the page. */
  readonly scroll: number;
  /** The sync to retry, until it is confirmed. */
  readonly question: Sync | null;
  /** Disappears at the next key; if it is muted, also when something new was read. */
  readonly message: Message | null;
  readonly isPaused: boolean;
}

export interface Message {
  readonly text: string;
  readonly tone: Tone;
}

export type Page =
  | { readonly kind: 'help' }
  | { readonly kind: 'row'; readonly panel: PanelId; readonly key: string }
  | {
      readonly kind: 'explanation';
      readonly syncId: number;
      /** Null while it is read. */
      readonly result: Explanation | { readonly error: string } | null;
    };

/** What a key asks of the program. */
export type Effect =
  | { readonly kind: 'quit' | 'interrupt' | 'refresh' | 'stop-explaining' }
  | { readonly kind: 'pause'; readonly isPaused: boolean }
  | { readonly kind: 'explain' | 'retry'; readonly syncId: number };

/** What a key needs to know of the screen. */
export interface Surroundings {
  /** The filtered rows. */
  readonly rows: readonly PanelRow[];
  /** Index of the selected row. */
  readonly index: number;
  /** Rows that are visible at a time. */
  readonly height: number;
  /** Lines of the page, and how many are visible. */
  readonly pageLines: number;
  readonly pageHeight: number;
  /** The sync that `e` and `r` concern. */
  readonly syncId: number | null;
  readonly sync: Sync | null;
  readonly canWrite: boolean;
}

export interface Step {
  readonly state: TopState;
  readonly effect: Effect | null;
}

export const START: TopState = {
  focus: 'log',
  isZoomed: false,
  selected: {},
  filters: {},
  isTyping: false,
  page: null,
  scroll: 0,
  question: null,
  message: null,
  isPaused: false,
};

/** Handles a key: a character, or a name such as `up`. */
export function pressKey(before: TopState, key: string, around: Surroundings): Step {
  const state = { ...before, message: null };
  if (key === 'ctrl-c') return { state, effect: { kind: 'interrupt' } };
  if (state.isTyping) return { state: typeFilter(state, key), effect: null };
  if (key === 'q') return { state, effect: { kind: 'quit' } };
  if (state.question !== null) return answerQuestion(state, key, state.question);
  return (
    pressCommand(state, key, around) ?? {
      state: state.page === null ? move(state, key, around) : scroll(state, key, around),
      effect: null,
    }
  );
}

function typeFilter(state: TopState, key: string): TopState {
  const filter = state.filters[state.focus] ?? '';
  const withFilter = (text: string) => ({ ...state, filters: { ...state.filters, [state.focus]: text } });
  if (key === 'enter') return { ...state, isTyping: false };
  if (key === 'esc') return { ...withFilter(''), isTyping: false };
  if (key === 'backspace') return withFilter([...filter].slice(0, -1).join(''));
  if (key === 'ctrl-u') return withFilter('');
  return [...key].length === 1 ? withFilter(filter + key) : state;
}

function answerQuestion(state: TopState, key: string, { id }: Sync): Step {
  const answered = { ...state, question: null };
  if (key.toLowerCase() === 'y') return { state: answered, effect: { kind: 'retry', syncId: id } };
  return { state: { ...answered, message: { text: 'Nothing was done.', tone: 'muted' } }, effect: null };
}

/** Returns null for keys that move. */
function pressCommand(state: TopState, key: string, around: Surroundings): Step | null {
  const done = (changed: Partial<TopState>, effect: Effect | null = null): Step => {
    return { state: { ...state, ...changed }, effect };
  };
  const say = (text: string, tone: Tone = 'warn') => done({ message: { text, tone } });
  switch (key) {
    case '?':
      return done({ page: state.page?.kind === 'help' ? null : { kind: 'help' }, scroll: 0 });
    case 'esc':
      return goBack(state);
    case 'R':
      return done({ message: { text: 'Reading everything again.', tone: 'muted' } }, { kind: 'refresh' });
    case 'p':
      return done({ isPaused: !state.isPaused }, { kind: 'pause', isPaused: !state.isPaused });
    case 'e': {
      const { syncId } = around;
      if (syncId === null) return say('There is no sync to explain here: select one in the log (5).');
      return done({ page: { kind: 'explanation', syncId, result: null }, scroll: 0 }, { kind: 'explain', syncId });
    }
    case 'r': {
      if (!around.canWrite) return say('This key cannot retry: it lacks the scope write.');
      if (around.sync === null) return say('There is no sync to retry here: select one in the log (5).');
      if (around.sync.status !== 'error') return say(`Sync ${around.sync.id} did not fail, so it cannot be retried.`);
      return done({ question: around.sync });
    }
  }
  if (state.page !== null) return null;
  switch (key) {
    case '/':
      return done({ isTyping: true });
    case 'z':
      return done({ isZoomed: !state.isZoomed });
    case 'enter': {
      const row = around.rows[around.index];
      return row === undefined ? null : done({ page: { kind: 'row', panel: state.focus, key: row.key }, scroll: 0 });
    }
    case 'tab':
      return done({ focus: neighbour(state.focus, 1) });
    case 'shift-tab':
      return done({ focus: neighbour(state.focus, -1) });
  }
  const panel = /^[1-5]$/.test(key) ? PANEL_IDS[Number(key) - 1] : undefined;
  return panel === undefined ? null : done({ focus: panel });
}

/** Closes what was opened last. */
function goBack(state: TopState): Step {
  const effect: Effect | null = state.page?.kind === 'explanation' ? { kind: 'stop-explaining' } : null;
  if (state.page !== null) return { state: { ...state, page: null, scroll: 0 }, effect };
  if (state.filters[state.focus])
    return { state: { ...state, filters: { ...state.filters, [state.focus]: '' } }, effect };
  return { state: { ...state, isZoomed: false }, effect };
}

function neighbour(panel: PanelId, distance: 1 | -1): PanelId {
  const index = PANEL_IDS.indexOf(panel) + distance + PANEL_IDS.length;
  return PANEL_IDS[index % PANEL_IDS.length] ?? panel;
}

function move(state: TopState, key: string, { rows, index, height }: Surroundings): TopState {
  const target = moved(index, key, height, rows.length - 1);
  if (target === null) return state;
  const row = rows[target];
  // At the top, the selection follows the newest row.
  const selected = { ...state.selected, [state.focus]: target === 0 ? undefined : row?.key };
  return { ...state, selected };
}

function scroll(state: TopState, key: string, { pageLines, pageHeight }: Surroundings): TopState {
  const target = moved(state.scroll, key, pageHeight, Math.max(0, pageLines - pageHeight));
  return target === null ? state : { ...state, scroll: target };
}

/** Returns the new position; null for keys that do not move. */
function moved(position: number, key: string, height: number, last: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    j: position + 1,
    down: position + 1,
    k: position - 1,
    up: position - 1,
    pagedown: position + height,
    ' ': position + height,
    'ctrl-f': position + height,
    'ctrl-d': position + Math.ceil(height / 2),
    pageup: position - height,
    'ctrl-b': position - height,
    'ctrl-u': position - Math.ceil(height / 2),
    g: 0,
    home: 0,
    G: last,
    end: last,
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(last, target));
}
