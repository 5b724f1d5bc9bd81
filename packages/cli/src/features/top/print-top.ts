import type { Client } from '@svc/sdk';
import { printRecord } from '../../format/record.ts';
import { toSecond } from '../../format/times.ts';
import type { Paint } from '../../terminal/colors.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';
import { findProblems } from '../status/problems.ts';
import { renderVerdict } from '../status/render.ts';
import { PANEL_IDS } from './panel-rows.ts';
import { createPanels } from './panels.ts';
import { PARTS, patchOfRefusal } from './read-parts.ts';
import { findUnsynced, NOTHING_READ, type PartName, type TopData } from './top-data.ts';

/** Syncs of the log that are printed. */
const LOG_ROWS = 10;
/** Beside the status, which comes first because it tells the time of the service. */
const READ_ONCE = ['log', 'requests', 'minutes', 'hour', 'day', 'block lists', 'failing sources'] as const;

/** Prints what the screen shows, once. */
export async function printTop(client: Client, { isJson }: { readonly isJson: boolean }): Promise<void> {
  const data = await readOnce(client);
  const nowMs = Date.now() + data.clockOffsetMs;
  await printRecord(toJson(data), {
    isJson,
    fields: null,
    render: (paint) => renderTop(data, nowMs, terminalWidth(), paint),
  });
}

async function readOnce(client: Client): Promise<TopData> {
  let data = NOTHING_READ;
  const read = async (name: PartName) => {
    const patch = await PARTS[name].read(client, data, Date.now() + data.clockOffsetMs, {});
    data = patch(data);
  };
  await read('status');
  await Promise.all(
    READ_ONCE.map((name) =>
      read(name).catch((error: unknown) => {
        const refusal = patchOfRefusal(name, error);
        if (refusal === null) throw error;
        data = refusal(data);
      }),
    ),
  );
  return data;
}

function renderTop(data: TopData, nowMs: number, width: number, paint: Paint): string {
  const { status, failing } = data;
  if (status === null) return '';
  const panels = createPanels(data, nowMs);
  const verdict = renderVerdict(status.ready, findProblems(status, failing ?? []).length, paint);
  const sections = PANEL_IDS.map((id) => {
    const { title, summary, columns, rows, whenEmpty } = panels[id];
    const shown = id === 'log' ? rows.slice(0, LOG_ROWS) : rows;
    const table = rows.length === 0 ? `${sanitize(whenEmpty)}\n` : renderTable(shown, columns, { width, paint });
    return `${paint('strong', title)}${summary === '' ? '' : ` (${sanitize(summary)})`}\n${table}`;
  });
  return [`${verdict} ${paint('muted', `(checked ${toSecond(sanitize(status.checkedAt))})`)}\n`, ...sections].join(
    '\n',
  );
}

/** The output of `--json`. */
function toJson(data: TopData): object {
  const { status, failing, blocklists, syncs, refused } = data;
  const { minutes, hour, day } = data.rates;
  return {
    status,
    failingSources: failing,
    rates: { fiveMinutes: minutes, hour, day },
    withoutSync: findUnsynced(data).map(({ connectionId, count, oldestAt }) => ({
      connectionId,
      requests: count,
      oldestAt,
    })),
    blocklists,
    syncs: syncs?.slice(0, LOG_ROWS) ?? null,
    gaps: [...refused].map(([part, reason]) => ({ part, reason })),
  };
}
