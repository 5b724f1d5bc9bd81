import { describe, expect, test } from 'vitest';
import { paintNothing } from '../../terminal/colors.ts';
import { createModel, type Model } from './model.ts';
import { SAMPLE } from './sample.fixture.ts';
import { type Effect, pressKey, START, type TopState } from './state.ts';
import type { TopData } from './top-data.ts';

interface Pressed {
  readonly state: TopState;
  readonly effects: readonly Effect[];
  readonly model: Model;
}

const SIZE = { columns: 80, rows: 24 };

/** Presses keys on the screen, one after another. */
function press(keys: readonly string[], data: TopData = SAMPLE): Pressed {
  let state = START;
  const effects: Effect[] = [];
  for (const key of keys) {
    const step = pressKey(state, key, createModel(state, data, SIZE, paintNothing));
    state = step.state;
    if (step.effect !== null) effects.push(step.effect);
  }
  return { state, effects, model: createModel(state, data, SIZE, paintNothing) };
}

const typed = (text: string) => text.split('');
const selectedId = ({ model }: Pressed) => model.rows[model.index]?.key;
const readOnly = {
  ...SAMPLE,
  me: SAMPLE.me && { ...SAMPLE.me, apiKey: { ...SAMPLE.me.apiKey, scopes: ['read' as const] } },
};

describe('moving', () => {
  test.each([
    [[], '999'],
    [['j', 'down', 'k'], '998'],
    [['G'], '900'],
    [['G', 'g'], '999'],
    [['k', 'up'], '999'],
    [['end', 'j'], '900'],
    [['pagedown'], '995'],
    [['pagedown', 'pageup'], '999'],
  ])('%j selects sync %s', (keys, id) => expect(selectedId(press(keys))).toBe(id));

  test('the selection stays with its row when rows come; at the top it follows them', () => {
    const [newest, ...others] = SAMPLE.syncs ?? [];
    const before = { ...SAMPLE, syncs: others };
    const after = { ...SAMPLE, syncs: [...(newest ? [newest] : []), ...others] };
    const moved = press(['j'], before);
    expect(selectedId(moved)).toBe('997');
    const shown = createModel(moved.state, after, SIZE, paintNothing);
    expect(shown.rows[shown.index]?.key).toBe('997');
    const top = press(['j', 'k'], before);
    const follows = createModel(top.state, after, SIZE, paintNothing);
    expect(follows.rows[follows.index]?.key).toBe('999');
  });

  test.each([
    [['1'], 'connections'],
    [['tab'], 'connections'],
    [['shift-tab'], 'blocklists'],
    [['4', 'tab', 'tab'], 'connections'],
  ])('%j goes to panel %s', (keys, panel) => expect(press(keys).state.focus).toBe(panel));
});

describe('the filter', () => {
  test('takes effect with every key', () => {
    expect(press(['/', 'e']).model.rows).toHaveLength(100);
    expect(press(['/', ...typed('error')]).model.rows).toHaveLength(10);
    expect(press(['/', ...typed('errorx'), 'backspace']).model.rows).toHaveLength(10);
  });

  test('! shows the rows without the text', () => expect(press(['/', ...typed('!error')]).model.rows).toHaveLength(90));

  test('Enter keeps it, Esc clears it', () => {
    expect(press(['/', ...typed('error'), 'enter', 'j']).model.rows).toHaveLength(10);
    expect(press(['/', ...typed('error'), 'esc']).model.rows).toHaveLength(100);
    expect(press(['/', ...typed('error'), 'enter', 'esc']).model.rows).toHaveLength(100);
  });

  test('letters of commands are text, and Ctrl-C still quits', () => {
    const { state, effects } = press(['/', 'q', 'r', 'ctrl-c']);
    expect(state.filters.log).toBe('qr');
    expect(effects).toEqual([{ kind: 'interrupt' }]);
  });
});

describe('pages', () => {
  test('Enter opens a row, Esc goes back', () => {
    expect(press(['enter']).model.page?.lines.join('\n')).toContain('person999@example.com');
    expect(press(['enter', 'esc']).model.page).toBeNull();
  });

  test('e explains the selected sync, and Esc stops the reading', () => {
    const { effects, model } = press(['j', 'e', 'esc']);
    expect(effects).toEqual([{ kind: 'explain', syncId: 998 }, { kind: 'stop-explaining' }]);
    expect(model.page).toBeNull();
  });

  test('e of a connection explains its newest failed sync', () => {
    const { effects } = press(['1', 'e']);
    expect(effects).toEqual([{ kind: 'explain', syncId: 990 }]);
  });

  test('? shows the keys, also those of the open page', () => {
    expect(press(['?']).model.page?.lines.join('\n')).toContain('retry a failed sync');
    expect(press(['?', '?']).model.page).toBeNull();
    expect(press(['?'], readOnly).model.page?.lines.join('\n')).not.toContain('retry');
  });
});

describe('r', () => {
  const toFailed = ['/', ...typed('error'), 'enter'];

  test('asks first, and y retries', () => {
    expect(press([...toFailed, 'r']).state.question?.id).toBe(990);
    expect(press([...toFailed, 'r']).effects).toEqual([]);
    expect(press([...toFailed, 'r', 'y']).effects).toEqual([{ kind: 'retry', syncId: 990 }]);
  });

  test.each(['n', 'enter', 'esc', 'j'])('%s declines', (key) => {
    const { state, effects } = press([...toFailed, 'r', key]);
    expect([effects, state.question, state.message?.text]).toEqual([[], null, 'Nothing was done.']);
  });

  test('is refused for a sync that did not fail', () => {
    const { state } = press(['r', 'y']);
    expect(press(['r']).state.message?.text).toBe('Sync 999 did not fail, so it cannot be retried.');
    expect(state.question).toBeNull();
  });

  test('is refused without write scope', () => {
    const { state, effects } = press([...toFailed, 'r'], readOnly);
    expect([state.question, effects]).toEqual([null, []]);
    expect(state.message?.text).toContain('lacks the scope write');
  });
});

test.each([
  ['a list', []],
  ['a page', ['enter']],
  ['the keys', ['?']],
  ['an explanation', ['e']],
  ['a question', ['/', ...typed('error'), 'enter', 'r']],
])('q quits from %s', (_name, keys) => {
  expect(press([...keys, 'q']).effects.at(-1)).toEqual({ kind: 'quit' });
});

test('p pauses and goes on', () => {
  expect(press(['p', 'p']).effects).toEqual([
    { kind: 'pause', isPaused: true },
    { kind: 'pause', isPaused: false },
  ]);
});
