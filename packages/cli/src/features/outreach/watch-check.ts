import { OUTREACH_REQUESTS_PER_WINDOW } from '@svc/contract/limits';
import { renderExportProgress } from '../export/progress.ts';
import { showNotesWith, startProgress } from '../../terminal/progress.ts';
import { createPace } from '../export/pace.ts';
import { createWaits } from '../export/waits.ts';

export interface CheckWatch {
  /** Called after each answer of the service. */
  onAnswer(): void;
  /** Called after each record, with or without a look-up. */
  onRecord(): void;
  end(): void;
}

/**
 * Shows the progress of a check in one line. The remaining time is estimated from the look-ups per row so far.
 *
 * @param total number of records; null if unknown
 */
export function watchCheck(total: number | null, recordsBefore: number, stream: NodeJS.WriteStream): CheckWatch {
  const progress = startProgress(stream);
  const pace = createPace(Date.now(), { rowsPerRequest: 1, requestsPerWindow: OUTREACH_REQUESTS_PER_WINDOW });
  const waits = createWaits();
  let records = recordsBefore;
  let answers = 0;

  function render(): void {
    const now = Date.now();
    const done = records - recordsBefore;
    const perRecord = done === 0 ? 1 : answers / done;
    const rate = pace.rate(now);
    const view = {
      rowsName: 'rows',
      rows: records,
      total,
      share: total === 0 ? 1 : null,
      rowsPerSecond: rate === null || perRecord === 0 ? null : rate / perRecord,
      leftMs: total === null ? null : pace.timeLeft((total - records) * perRecord, now),
      wait: waits.left(now),
    };
    progress.show((columns) => renderExportProgress(view, columns));
  }
  showNotesWith((wait) => {
    const now = Date.now();
    if (wait.isRateLimit) pace.wait(wait.waitMs, now);
    waits.add(wait, now);
    render();
  });
  // Updates the times while no answers arrive.
  const timer = setInterval(render, 1000).unref();
  return {
    onAnswer() {
      answers += 1;
      pace.add(1, Date.now());
    },
    onRecord() {
      records += 1;
      render();
    },
    end() {
      clearInterval(timer);
      showNotesWith(null);
      progress.end();
    },
  };
}
