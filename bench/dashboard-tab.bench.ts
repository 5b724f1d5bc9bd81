import { builtPage } from '../packages/dashboard/test/journeys/support/built-page.ts';
import { signIn } from '../packages/server/test/support/dashboard-user.ts';
import { findChromium } from '../scripts/vitest/chromium.ts';
import { type Bench, type Result, type Row } from './measure.ts';
import { serve } from './support/serve.ts';
import { openTab, REFRESH_SECONDS } from './support/dashboard-tab.ts';

const ACCOUNT_ID = 1;
const PAGES = ['overview', 'syncs'];
/** Measured after each of these numbers of refreshes. */
const STEPS = [100, 200, 300, 400];
/** The page refreshes at most this often in a day, when something changes all the time. */
const A_DAY = 86_400 / REFRESH_SECONDS;

/**
 * A tab that stays open while the server has something new all the time. The clock of the page runs ahead, so that its refreshes follow each other
 * without the wait between them; each finds new rows. The last row of a page is what its second half would make of a day.
 */
export const bench: Bench = {
  name: 'dashboard-tab',
  question: 'How much memory does a tab of the dashboard hold that stays open while everything changes?',
  async run() {
    const executablePath = findChromium();
    if (executablePath === null) {
      process.stderr.write('chromium is not installed.\n');
      return [];
    }
    const { running, cleanUp } = await serve({
      ...{ databaseUrl: '', startWorkers: false, env: { SVC_LOG_LEVEL: 'fatal' } },
      dashboardFolder: builtPage(),
    });
    try {
      const user = await signIn({ url: running.url, running }, { email: 'bench@example.com', role: 'admin' });
      const results: Result[] = [];
      for (const path of PAGES) {
        const tab = await openTab(executablePath, {
          ...{ running, cookie: user.cookie, path: `/accounts/${ACCOUNT_ID}/${path}` },
        });
        results.push(...(await measure(path, tab)));
        await tab.close();
      }
      return results;
    } finally {
      await running.close();
      cleanUp();
    }
  },
};

async function measure(path: string, tab: Awaited<ReturnType<typeof openTab>>): Promise<Result[]> {
  const floor = 'opened';
  const nameOf = (refreshes: number) => `after ${refreshes.toLocaleString('en-US')} refreshes`;
  const end = nameOf(STEPS.at(-1) ?? 0);
  const heap: Row[] = [];
  const nodes: Row[] = [];
  const streams: Row[] = [];
  const note = async (what: string) => {
    const now = await tab.measure();
    heap.push({ what, samples: [now.heapMegabytes] });
    if (what === floor || what === end) {
      nodes.push({ what, samples: [now.nodes] });
      streams.push({ what, samples: [now.openStreams] });
    }
    return now.heapMegabytes;
  };
  await note(floor);
  let done = 0;
  const measured: number[] = [];
  for (const step of STEPS) {
    for (; done < step; done += 1) await tab.refresh();
    measured.push(await note(nameOf(done)));
  }
  const [earlier = 0, later = 0] = [measured.at(-3), measured.at(-1)];
  const perRefresh = (later - earlier) / ((STEPS.at(-1) ?? 0) - (STEPS.at(-3) ?? 0));
  heap.push({ what: 'after a day, if it went on like this', samples: [later + perRefresh * (A_DAY - done)] });
  return [
    { title: `JavaScript heap after a collection, ${path}`, unit: 'MB', floor, rows: heap },
    { title: `DOM nodes, ${path}`, unit: 'nodes', floor, rows: nodes },
    { title: `Open streams, ${path}`, unit: 'streams', floor, rows: streams },
  ];
}
