/** A tab of the dashboard whose clock runs ahead, so that a day of live changes takes minutes. */
import type { Request } from 'playwright-core';
import type { RunningServer } from '../../packages/server/src/main/server.ts';
import { launchChromium } from '../../scripts/vitest/chromium.ts';

/** The page waits so long after a change before it reads again (`packages/dashboard/src/data/live.ts`). */
export const REFRESH_SECONDS = 2;
/** New rows that each refresh finds. */
const ROWS = 5;

export async function openTab(
  executablePath: string,
  options: { running: RunningServer; cookie: string; path: string },
) {
  const { running, cookie, path } = options;
  const { url } = running;
  const browser = await launchChromium(executablePath);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  const started = new Date();
  await context.clock.install({ time: started });
  await context.addInitScript(() => {
    const streams: EventSource[] = [];
    const Original = EventSource;
    Object.assign(globalThis, {
      streams,
      EventSource: class extends Original {
        constructor(address: string | URL) {
          super(address);
          streams.push(this);
        }
      },
    });
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  let pending = 0;
  let answers = 0;
  const isCounted = (address: string) => address.includes('/api/') && !address.endsWith('/live');
  page.on('request', (request) => (pending += Number(isCounted(request.url()))));
  const noteEnd = (request: Request) => {
    if (!isCounted(request.url())) return;
    pending -= 1;
    answers += 1;
  };
  page.on('requestfinished', noteEnd).on('requestfailed', noteEnd);
  await page.goto(`${url}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  let seconds = 0;

  const runClock = async (byMs: number) => {
    await page.clock.runFor(byMs);
    seconds += byMs / 1_000;
  };
  /** Lets the page read until nothing is under way; its retries and timers need its clock. */
  const settle = async () => {
    for (let quiet = 0; quiet < 2; ) {
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
      quiet = pending === 0 ? quiet + 1 : 0;
    }
  };

  return {
    /** Something changed: the page reads again, and finds new rows. */
    async refresh(): Promise<void> {
      const at = new Date(started.getTime() + seconds * 1_000);
      await insertRows(running, at);
      const before = answers;
      await page.evaluate(() => {
        const { streams } = globalThis as unknown as { streams: EventSource[] };
        for (const stream of streams) {
          if (stream.readyState === EventSource.OPEN)
            stream.dispatchEvent(new MessageEvent('change', { data: '{"kinds":[]}' }));
        }
      });
      await runClock(REFRESH_SECONDS * 1_000);
      await settle();
      if (answers === before) throw new Error('the page did not read again');
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async measure() {
      await settle();
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      const { metrics } = await cdp.send('Performance.getMetrics');
      const openStreams = await page.evaluate(
        () =>
          (globalThis as unknown as { streams: EventSource[] }).streams.filter(
            ({ readyState }) => readyState !== EventSource.CLOSED,
          ).length,
      );
      return {
        heapMegabytes: usedSize / 1e6,
        nodes: metrics.find(({ name: metric }) => metric === 'Nodes')?.value ?? Number.NaN,
        openStreams,
      };
    },
    close: () => browser.close(),
  };
}

async function insertRows({ ctx: { db } }: RunningServer, at: Date): Promise<void> {
  await db.query(
    `insert into syncs (account_id, connection_id, source_id, payload_id, status, event_type, to_email, platform, created_at)
      select c.account_id, c.id, null, n, 'success', 'EMAIL_SENT', 'lead-' || n || '@example.org', 'smartlead', $1::timestamptz + n * interval '1 ms'
      from (select id, account_id from connections order by id limit 1) c, generate_series(1, $2::int) n`,
    [at, ROWS],
  );
  await db.query(
    `insert into requests (account_id, connection_id, path, outcome, created_at)
      select c.account_id, c.id, 'bench', 'synced', $1::timestamptz + n * interval '1 ms'
      from (select id, account_id from connections order by id limit 1) c, generate_series(1, $2::int) n`,
    [at, ROWS],
  );
}
