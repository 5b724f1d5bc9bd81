import { createTestDatabase } from '../scripts/vitest/database.ts';
import { type Bench, interleave } from './measure.ts';
import { findPostgres } from './support/postgres.ts';
import { type BenchProcess, startProcess } from './support/process.ts';

/** Enough that the beginning and the end of a round hardly count. */
const DELIVERIES_PER_ROUND = 2_000;
const ROUNDS = 7;

const start = (...args: readonly string[]) => startProcess('webhooks-server.ts', ...args);

/**
 * Webhook deliveries per second through the server: claimed, signed, posted through the guard, and committed. Compared
 * with undici without a database, and with the same path without posting, which is the cost of the database. Twenty
 * webhooks of five accounts.
 */
export const bench: Bench = {
  name: 'webhooks',
  question: 'How many webhook deliveries per second reach an endpoint on this machine?',
  async run() {
    const postgres = await findPostgres();
    const databases = postgres ? await Promise.all([1, 2].map(() => createTestDatabase(postgres.url))) : [];
    const receiver = await start('receiver');
    const port = receiver.ready;
    const senders: Record<string, BenchProcess> = { 'undici, no database': await start('undici', port) };
    try {
      senders['svc-server on PGlite'] = await start('server', port);
      const [sending, unsent] = databases;
      if (sending) senders['svc-server on PostgreSQL'] = await start('server', port, sending.url);
      if (unsent) senders['the same, nothing sent'] = await start('unsent', port, unsent.url);
      const measure = (sender: BenchProcess) => async () => Number(await sender.ask(String(DELIVERIES_PER_ROUND)));
      const rows = await interleave(
        ROUNDS,
        Object.fromEntries(Object.entries(senders).map(([what, sender]) => [what, measure(sender)])),
      );
      return [{ title: 'deliveries', unit: 'deliveries/s', floor: 'undici, no database', rows }];
    } finally {
      for (const sender of Object.values(senders)) sender.stop();
      receiver.stop();
      for (const database of databases) await database.drop();
      postgres?.stop();
    }
  },
};
