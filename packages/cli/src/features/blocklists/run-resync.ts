import { setTimeout } from 'node:timers/promises';
import type { Client } from '@svc/sdk';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { RESYNC_COLUMNS, RESYNC_DRY_RUN_COLUMNS, resyncLine } from './columns.ts';
import { canDraw } from '../../terminal/environment.ts';
import { paintFor } from '../../terminal/colors.ts';
import { printNotice } from '../../terminal/stderr.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';
import { type ResyncPlan, type ResyncState, resyncBlocklists } from './resync.ts';

export interface ResyncView extends Pick<ResyncPlan, 'wait' | 'skipsInProgress' | 'isAll'> {
  /** Print no progress, because a program reads the output. */
  readonly isQuiet: boolean;
}

/** Runs resyncs with progress: a table that is redrawn in a terminal, else a line on stderr for each change. */
export async function runResync(
  client: Client,
  lists: readonly ResyncState[],
  { isQuiet, ...plan }: ResyncView,
): Promise<{ readonly states: readonly ResyncState[]; readonly isDrawn: boolean }> {
  const view = isQuiet || plan.wait === null ? SILENT : canDraw() ? await openTable() : openLines(lists);
  const sleep = (ms: number) => setTimeout(ms);
  setInterruptHint('Queued resyncs continue. Run the same command again to wait for them.');
  try {
    const states = await resyncBlocklists(client, lists, { ...plan, now: Date.now, sleep, onChange: view.show });
    return { states, isDrawn: view.isDrawn };
  } finally {
    setInterruptHint(null);
    await view.close();
  }
}

interface View {
  /** Whether the last output stays on the screen. */
  readonly isDrawn: boolean;
  readonly show: ResyncPlan['onChange'];
  readonly close: () => Promise<void>;
}

const SILENT: View = { isDrawn: false, show() {}, async close() {} };

async function openTable(): Promise<View> {
  const { openLiveScreen } = await import('../../terminal/live-screen.tsx');
  let shown: { readonly states: readonly ResyncState[]; readonly trouble: string | null } = {
    states: [],
    trouble: null,
  };
  const startedAt = Date.now();
  const paint = paintFor(process.stdout);
  const screen = openLiveScreen({
    draw: (columns) => (shown.states.length === 0 ? '' : renderResync(shown.states, columns)),
    foot(note) {
      const pending = shown.states.filter(({ outcome }) => outcome === null).length;
      if (pending === 0) return '';
      const trouble = note ?? shown.trouble;
      if (trouble !== null) return paint('warn', sanitize(trouble));
      const elapsed = formatElapsed(Math.round((Date.now() - startedAt) / 1000));
      return paint('muted', `${pending} in progress, ${elapsed}; Ctrl-C stops waiting, the resyncs continue`);
    },
  });
  const ticks = setInterval(() => screen.redraw(), 1000);
  return {
    isDrawn: true,
    show(states, trouble) {
      shown = { states: [...states], trouble };
      screen.redraw();
    },
    close() {
      clearInterval(ticks);
      return screen.close();
    },
  };
}

function openLines(lists: readonly ResyncState[]): View {
  const printed = new Map(lists.map((state) => [state.id, resyncLine(state)]));
  let lastTrouble: string | null = null;
  return {
    isDrawn: false,
    show(states, trouble) {
      for (const state of states) {
        const line = resyncLine(state);
        if (state.phase !== 'starting' && printed.get(state.id) !== line) printNotice(line);
        printed.set(state.id, line);
      }
      if (trouble !== null && trouble !== lastTrouble) printNotice(`Still waiting: ${trouble}`);
      lastTrouble = trouble;
    },
    async close() {},
  };
}

export function renderResync(states: readonly ResyncState[], width = terminalWidth()): string {
  return renderTable(states, RESYNC_COLUMNS, { width, paint: paintFor(process.stdout) });
}

export function renderDryRun(states: readonly ResyncState[]): string {
  return renderTable(states, RESYNC_DRY_RUN_COLUMNS, { width: terminalWidth(), paint: paintFor(process.stdout) });
}

function formatElapsed(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
