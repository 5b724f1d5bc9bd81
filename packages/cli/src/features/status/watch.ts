import { setTimeout } from 'node:timers/promises';
import type { CallOptions, Client } from '@svc/sdk';
import { toErrorReport } from '../../command/map-error.ts';
import { printError } from '../../command/print-error.ts';
import { canDraw } from '../../terminal/environment.ts';
import { paintFor } from '../../terminal/colors.ts';
import { pickFields } from '../../format/fields.ts';
import { fieldLines, renderRecord } from '../../format/record.ts';
import { fetchFailingSources } from '@svc/mcp/explain/failing-sources';
import { renderStatus, type StatusPage } from './render.ts';
import { expectInterrupt } from '../../terminal/interrupts.ts';
import { printNotice, writeStderr } from '../../terminal/stderr.ts';
import { terminalWidth, writeRendered, writeStdout } from '../../terminal/stdout.ts';
import { sanitize } from '../../terminal/text.ts';

export interface StatusWatch {
  readonly intervalMs: number;
  readonly isJson: boolean;
  readonly fields: readonly string[] | null;
  readonly isLong: boolean;
}

/**
 * Shows the status repeatedly until `q` or a signal. After the first answer, retryable errors are shown and retried;
 * other errors end it.
 */
export async function watchStatus(client: Client, { intervalMs, isJson, fields, isLong }: StatusWatch): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const render: Render = (page, width) => {
    const paint = paintFor(process.stdout);
    return fields === null
      ? renderStatus(page, { width, paint, isLong })
      : renderRecord(fieldLines(page.status, fields), paint);
  };
  const readPage = async (options: CallOptions): Promise<StatusPage> => {
    const readsSources = !isJson && fields === null;
    const [status, failing] = await Promise.all([
      client.account.status(options),
      readsSources ? fetchFailingSources(client, { signal, maxRetries: 0 }) : [],
    ]);
    return { status, failing };
  };
  expectInterrupt();
  let view: StatusView | null = null;
  let trouble: string | null = null;
  try {
    while (!signal.aborted) {
      try {
        // After the first answer, the next poll serves as the retry.
        const page = await readPage(view === null ? { signal } : { signal, maxRetries: 0 });
        view ??= isJson
          ? jsonLines(fields)
          : canDraw()
            ? await openPage(page, { render, intervalMs, stop })
            : openPages(render);
        trouble = null;
        await view.show(page);
      } catch (error) {
        if (signal.aborted) return;
        const report = toErrorReport(error);
        if (view === null || !report.retryable) throw error;
        view.trouble(report.message, error, report.message === trouble);
        trouble = report.message;
      }
      await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    await view?.close();
  }
}

interface StatusView {
  show(page: StatusPage): Promise<void> | void;
  /** Reports an error; the last answer stays. `isRepeated`: the same as the time before. */
  trouble(message: string, error: unknown, isRepeated: boolean): void;
  close(): Promise<void> | void;
}

type Render = (page: StatusPage, width: number) => string;

function jsonLines(fields: readonly string[] | null): StatusView {
  return {
    show: ({ status }) => writeStdout(`${JSON.stringify(fields === null ? status : pickFields(status, fields))}\n`),
    trouble(_message, error, isRepeated) {
      if (!isRepeated) printError(error, { isJson: true, credentials: null, write: writeStderr });
    },
    close() {},
  };
}

/** Prints pages one below another. */
function openPages(render: Render): StatusView {
  let isFirst = true;
  return {
    async show(page) {
      await writeRendered((isFirst ? '' : '\n') + render(page, terminalWidth()));
      isFirst = false;
    },
    trouble(message, _error, isRepeated) {
      if (!isRepeated) printNotice(`Cannot read the status: ${message}`);
    },
    close() {},
  };
}

interface PageOptions {
  readonly render: Render;
  readonly intervalMs: number;
  readonly stop: AbortController;
}

/** Opens a page that is redrawn. */
async function openPage(first: StatusPage, { render, intervalMs, stop }: PageOptions): Promise<StatusView> {
  const { openLiveScreen } = await import('../../terminal/live-screen.tsx');
  const paint = paintFor(process.stdout);
  let shown = first;
  let trouble: string | null = null;
  let retriesAt = 0;
  const screen = openLiveScreen({
    draw: (columns) => render(shown, columns),
    foot(note) {
      if (trouble === null) return paint('muted', note ?? `Refreshes every ${intervalMs / 1000} s; q quits`);
      const seconds = Math.max(0, Math.ceil((retriesAt - Date.now()) / 1000));
      const next = seconds === 0 ? 'Retrying now' : `Retrying in ${seconds} s`;
      return `${paint('bad', 'Showing the last answer.')} ${sanitize(trouble)}. ${next}; q quits`;
    },
    onQuit: () => stop.abort(),
  });
  const ticks = setInterval(() => {
    if (trouble !== null) screen.redraw();
  }, 1000);
  return {
    show(page) {
      shown = page;
      trouble = null;
      screen.redraw();
    },
    trouble(message) {
      trouble = message;
      retriesAt = Date.now() + intervalMs;
      screen.redraw();
    },
    close() {
      clearInterval(ticks);
      return screen.close();
    },
  };
}
