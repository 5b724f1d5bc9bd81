/** Posts replies to the demo's source, and lets the time pass in which everything that is due is done. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { TestServer } from './harness.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

/** Posts a reply of `${name}@example.org`. */
export async function postReply(server: Pick<TestServer, 'post'>, name: string): Promise<void> {
  const body = { ...reply, stats_id: name, sl_lead_email: `${name}@example.org` };
  expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
}

/** Advances the clock by this much and runs everything when it is due. */
export async function settleWithin(
  { db, clock, running }: Pick<TestServer, 'db' | 'clock' | 'running'>,
  withinMs: number,
  runDue: () => Promise<unknown> = () => running.runner.runDue(),
): Promise<void> {
  const end = clock.now().getTime() + withinMs;
  for (;;) {
    await runDue();
    const { rows } = await db.query<{ due: Date | null }>('select min(due_at) as due from jobs');
    const due = rows[0]?.due?.getTime();
    if (due === undefined || due > end) break;
    clock.advance(Math.max(0, due - clock.now().getTime()));
  }
  clock.advance(end - clock.now().getTime());
}
