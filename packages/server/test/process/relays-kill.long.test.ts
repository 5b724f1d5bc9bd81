/**
 * Servers that are killed when the mail server has a relay mail and has not answered: real processes, real SMTP, both databases.
 * Each reply is mailed once; one whose answer the killed server never got, twice at most, with the same message id, and
 * recorded as such. The clocks of the servers run faster, so that the leases of the killed ones take seconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMailSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '../../src/secrets/secret-box.ts';
import { type MovedClockServer, runServerCommand, startMovedClockServer } from '../support/processes.ts';

const REPLIES = sized(60);
/** The server is killed when the mail server has this many mails. */
const KILLED_AT_MAILS = [0.1, 0.35, 0.7].map((share) => Math.ceil(REPLIES * share));
/** How much faster the servers' clocks run: a lease takes 1.5 s. */
const RATE = 10;
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

interface LoggedMail {
  status: string;
  messageId: string;
  unconfirmedAttempts: number;
}

describe.each(['pglite', 'postgres'])('relay mails on %s', (backend) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function place(): Promise<Record<string, string>> {
    if (backend === 'pglite') {
      const folder = await mkdtemp(join(tmpdir(), 'svc-relays-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      return { SVC_DATA_DIR: join(folder, 'data') };
    }
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    return { DATABASE_URL: database.url };
  }

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${REPLIES} replies, ${KILLED_AT_MAILS.length} SIGKILLs between a mail and its answer`,
    async () => {
      const mail = await startMailSimulator();
      cleanUps.push(() => mail.close());
      const env = {
        ...(await place()),
        SVC_ENCRYPTION_KEY: generateEncryptionKey(),
        SVC_RATE_LIMIT: 'off',
        SVC_LOG_LEVEL: 'error',
        SVC_SMTP_URL: mail.url,
        SVC_MAIL_FROM: 'relay@svc.example',
      };
      const admin = async (...args: string[]) => {
        const result = await runServerCommand([...args, '--json'], env);
        expect(result).toMatchObject({ code: 0 });
        return JSON.parse(result.stdout);
      };
      expect(await runServerCommand(['world', 'load', minimalWorld], env)).toMatchObject({ code: 0 });
      const clock = { receiverPort: 0, offsetMs: 0, rate: RATE, epochMs: Date.now() };
      const servers: MovedClockServer[] = [];
      const start = async () => {
        const server = await startMovedClockServer(clock, env);
        cleanUps.push(() => server.stop('SIGKILL'));
        servers.unshift(server);
      };
      await start();
      await admin('capabilities', 'set', '--connection', '1', '--destinations', 'on', '--sync', 'off');
      const { replyRelay } = await admin('relays', 'add', '--connection', '1', '--cc-email', 'rep@example.com');
      await admin('relays', 'bind', String(replyRelay.id), '--source', '1');
      let restarted = Promise.resolve();
      let kills = 0;
      mail.onMail(async () => {
        if (!KILLED_AT_MAILS.includes(mail.mails().length)) return;
        kills += 1;
        await servers[0]?.stop('SIGKILL');
        restarted = start();
        // It is awaited below, maybe after it has failed.
        restarted.catch(() => {});
      });

      for (let number = 0; number < REPLIES; number += 1) {
        const body = JSON.stringify({
          event_type: 'EMAIL_REPLY',
          to_email: `lead-${number}@lead.example`,
          stats_id: `reply-${number}`,
          reply_body: 'Yes!',
        });
        // A post that a killed server does not answer is sent again, as sequencers do.
        for (;;) {
          const status = await fetch(`${servers[0]?.url}/webhooks/minimal-smartlead`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
            .then((answer) => answer.status)
            .catch(() => null);
          if (status === 200) break;
          await restarted;
        }
      }
      await expect
        .poll(() => new Set(mail.mails().map(({ headers }) => headers['message-id'])).size, { timeout: 60_000 })
        .toBe(REPLIES);
      await restarted;
      const readLog = async (): Promise<LoggedMail[]> => (await admin('relays', 'log', '--limit', '10000')).mails;
      await expect
        .poll(async () => (await readLog()).filter(({ status }) => status === 'sent').length, { timeout: 60_000 })
        .toBe(REPLIES);

      expect(kills).toBe(KILLED_AT_MAILS.length);
      const log = await readLog();
      expect(log).toHaveLength(REPLIES);
      const received = Map.groupBy(mail.mails(), ({ headers }) => headers['message-id']);
      expect(received.size).toBe(REPLIES);
      const repeated = log.filter(({ messageId }) => received.get(messageId)?.length !== 1);
      expect(repeated.length).toBeGreaterThan(0);
      for (const { messageId } of repeated) expect(received.get(messageId)).toHaveLength(2);
      // A mail that may have arrived twice is recorded as such, also where it arrived once.
      for (const { unconfirmedAttempts } of repeated) expect(unconfirmedAttempts).toBe(1);
      expect(mail.mails().length).toBe(REPLIES + repeated.length);
    },
    300_000,
  );
});
