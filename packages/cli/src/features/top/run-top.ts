import type { Client, Sync } from '@svc/sdk';
import { toEventKey } from '@svc/domain/values/event-key';
import { explainSync } from '@svc/mcp/explain/explain-sync';
import { toErrorReport } from '../../command/map-error.ts';
import { paintFor } from '../../terminal/colors.ts';
import { expectInterrupt } from '../../terminal/interrupts.ts';
import { toMinute } from '../../format/times.ts';
import { withCommands } from '../explain/explanation.ts';
import { drawScreen } from './draw.ts';
import type { Size } from './layout.ts';
import { createModel } from './model.ts';
import { createPoller, type Trouble } from './poll.ts';
import { type Effect, type Message, pressKey, START, type TopState } from './state.ts';
import { NOTHING_READ } from './top-data.ts';

export interface TopSettings {
  readonly intervalMs: number;
  /** Host and port of the service, for the first line. */
  readonly host: string;
}

const TICK_MS = 1000;

/** Shows the screen until `q` or a signal. @throws errors that do not pass, such as a revoked key */
export async function runTop(client: Client, { intervalMs, host }: TopSettings): Promise<void> {
  const { openFullScreen } = await import('../../terminal/full-screen.tsx');
  const stop = new AbortController();
  const { signal } = stop;
  const paint = paintFor(process.stdout);
  let state: TopState = START;
  let data = NOTHING_READ;
  let size: Size = { columns: 80, rows: 24 };
  let trouble: Trouble | null = null;
  let note: string | null = null;
  let explaining = new AbortController();
  /** Failed syncs whose retry has not become a sync yet, with what the log had before the retry. */
  let retried: readonly { readonly failed: Sync; readonly before: readonly Sync[] }[] = [];

  const change = (next: Partial<TopState>) => {
    state = { ...state, ...next };
    screen.redraw();
  };
  const say = (message: Message) => change({ message });

  const explain = async (syncId: number) => {
    explaining.abort();
    explaining = new AbortController();
    const options = { signal: AbortSignal.any([signal, explaining.signal]) };
    const result = await explainSync(client, syncId, toMinute, options).then(withCommands, (error: unknown) => {
      return { error: toErrorReport(error).message };
    });
    if (options.signal.aborted || state.page?.kind !== 'explanation') return;
    change({ page: { kind: 'explanation', syncId, result } });
  };
  const retry = async (syncId: number) => {
    const before = data.syncs ?? [];
    const failed = before.find(({ id }) => id === syncId);
    say({ text: `Queuing the retry of sync ${syncId} …`, tone: 'muted' });
    try {
      await client.syncs.retry(syncId, { signal });
      if (failed !== undefined) retried = [...retried, { failed, before }];
      say({
        text: `The retry of sync ${syncId} is queued. It becomes a new sync at the top of the log.`,
        tone: 'good',
      });
      poller.refresh();
    } catch (error) {
      if (!signal.aborted) say({ text: `Sync ${syncId}: ${toErrorReport(error).message}`, tone: 'bad' });
    }
  };
  const announceRetries = () => {
    for (const entry of retried) {
      const { failed, before } = entry;
      const became = findRetry(failed, before, data.syncs ?? []);
      if (became === undefined) continue;
      retried = retried.filter((other) => other !== entry);
      const text = `The retry of sync ${failed.id} became sync ${became.id}: ${became.status}.`;
      state = { ...state, message: { text, tone: became.status === 'error' ? 'bad' : 'good' } };
    }
  };

  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'quit':
        return stop.abort();
      case 'interrupt':
        isInterrupted = true;
        return stop.abort();
      case 'refresh':
        return poller.refresh();
      case 'pause':
        return poller.pause(effect.isPaused);
      case 'explain':
        return void explain(effect.syncId);
      case 'stop-explaining':
        return explaining.abort();
      case 'retry':
        return void retry(effect.syncId);
    }
  };
  let isInterrupted = false;

  const poller = createPoller(client, {
    ...{ intervalMs, signal },
    onData(next) {
      data = next;
      if (state.message?.tone === 'muted') state = { ...state, message: null };
      announceRetries();
      screen.redraw();
    },
    onTrouble(next) {
      trouble = next;
      screen.redraw();
    },
  });
  expectInterrupt();
  const screen = openFullScreen({
    draw(columns, rows) {
      size = { columns, rows };
      const connection = { host, note, trouble: trouble === null ? null : (note ?? describeTrouble(trouble)) };
      return drawScreen(createModel(state, data, size, paint), connection, paint);
    },
    onKey(key) {
      const step = pressKey(state, key, createModel(state, data, size, paint));
      change(step.state);
      if (step.effect !== null) perform(step.effect);
    },
    onNote(next) {
      note = next;
      screen.redraw();
    },
  });
  // Counts the seconds until the next attempt.
  const ticks = setInterval(() => {
    if (trouble !== null) screen.redraw();
  }, TICK_MS);
  try {
    await Promise.race([poller.run(), aborted(signal)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    clearInterval(ticks);
    await screen.close();
  }
  // The keyboard is in raw mode, so Ctrl-C arrives as a key and is turned into the signal.
  if (isInterrupted) process.kill(process.pid, 'SIGINT');
}

function describeTrouble({ message, retriesAtMs }: Trouble): string {
  const seconds = Math.ceil((retriesAtMs - Date.now()) / 1000);
  return `${seconds > 0 ? `Retrying in ${seconds} s` : 'Retrying'}: ${message}`;
}

/** The sync that a retry became: one of the same event that was not there before. */
function findRetry(failed: Sync, before: readonly Sync[], now: readonly Sync[]): Sync | undefined {
  const key = toEventKey(failed);
  return now.find((sync) => toEventKey(sync) === key && before.every(({ id }) => id !== sync.id));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
