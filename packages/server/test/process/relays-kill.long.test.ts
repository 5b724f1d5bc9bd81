/**
 * Servers that are killed when the mail server has a relay mail or a digest and has not answered: real processes, real SMTP, both
 * databases. Each reply is in one mail of its own or in one digest. A mail whose answer the killed server never got arrives twice at
 * most, with the same message id, and is recorded as such. The clocks of the servers run faster, so that the leases of the killed ones
 * take seconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SimulatedMail, startMailSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type MovedClockServer, runServerCommand, startMovedClockServer } from '../support/processes.ts';

const REPLIES = sized(30);
/** Mails that the relay sends in an hour. The other replies are in the digest. */
const LIMIT = REPLIES / 2;
/** The server is killed when the mail server has this many mails, */
const KILLED_AT_MAILS = Math.ceil(LIMIT * 0.4);
/** when this reply is accepted, which goes into the digest, */
const KILLED_AT_REPLY = Math.ceil(REPLIES * 0.8);
/** and when the mail server has the digest for the first time. */
const KILLS = 3;
/** How much faster the servers' clocks run: a lease takes 1.5 s. */
const RATE = 10;
const HOUR_MS = 3_600_000;
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

interface LoggedMail {
  status: string;
  /** Null: a digest. */
  lead: string | null;
  messageId: string;
  unconfirmedAttempts: number;
}

const isDigest = ({ headers }: SimulatedMail) => headers['x-service-relay']?.endsWith('/digest') === true;

/** Returns the leads whose replies a mail is about. */
function leadsOf(mail: SimulatedMail): string[] {
  const text = isDigest(mail) ? mail.text : (mail.headers['reply-to'] ?? '');
  return [...new Set(text.match(/lead-\d+@lead\.example/g))];
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
    `${REPLIES} replies, ${LIMIT} mails an hour, ${KILLS} SIGKILLs: each reply is in one mail or in the one digest`,
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
        SVC_RELAY_MAILS_PER_HOUR: String(LIMIT),
      };
      const admin = async (...args: string[]) => {
        const result = await runServerCommand([...args, '--json'], env);
        expect(result).toMatchObject({ code: 0 });
        return JSON.parse(result.stdout);
      };
      expect(await runServerCommand(['world', 'load', minimalWorld], env)).toMatchObject({ code: 0 });
      // It is the begin of an hour, so that all replies come within it.
      const epochMs = Date.now();
      const clock = { receiverPort: 0, offsetMs: HOUR_MS - (epochMs % HOUR_MS), rate: RATE, epochMs };
      const start = async (): Promise<MovedClockServer> => {
        const started = await startMovedClockServer(clock, env);
        cleanUps.push(() => started.stop('SIGKILL'));
        return started;
      };
      let running = start();
      let kills = 0;
      const kill = () => {
        kills += 1;
        const killed = running.then((server) => server.stop('SIGKILL'));
        running = killed.then(start);
        // It is awaited below, maybe after it has failed.
        running.catch(() => {});
        return killed;
      };
      const passHour = async () => {
        const server = await running;
        await server.order('rest');
        clock.offsetMs += HOUR_MS;
        await server.order({ offsetMs: clock.offsetMs });
        await server.order('work');
      };
      await running;
      await admin('capabilities', 'set', '--connection', '1', '--destinations', 'on', '--sync', 'off');
      const { replyRelay } = await admin('relays', 'add', '--connection', '1', '--cc-email', 'rep@example.com');
      await admin('relays', 'bind', String(replyRelay.id), '--source', '1');
      mail.onMail(async (kept) => {
        const digests = mail.mails().filter(isDigest).length;
        if (isDigest(kept) ? digests === 1 : mail.mails().length === KILLED_AT_MAILS) await kill();
      });

      const readLog = async (): Promise<LoggedMail[]> => (await admin('relays', 'log', '--limit', '10000')).mails;
      /** A mail that two kills interrupt is given up, so the second waits until those of the first have ended. */
      const isFirstKillOver = async () => {
        await running;
        return kills > 0 && (await readLog()).every(({ status }) => status !== 'sending');
      };
      for (let number = 1; number <= REPLIES; number += 1) {
        const body = JSON.stringify({
          event_type: 'EMAIL_REPLY',
          to_email: `lead-${number}@lead.example`,
          stats_id: `reply-${number}`,
          reply_body: 'Yes!',
        });
        // A post that a killed server does not answer is sent again, as sequencers do.
        for (;;) {
          const { url } = await running;
          const status = await fetch(`${url}/webhooks/minimal-smartlead`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
            .then((answer) => answer.status)
            .catch(() => null);
          if (status === 200) break;
        }
        if (number === KILLED_AT_REPLY) {
          await expect.poll(isFirstKillOver, { timeout: 120_000, interval: 1_000 }).toBe(true);
          await kill();
        }
      }
      /** Waits for as many different mails, and then for what the log says of them. */
      const untilLogged = async (mails: number, statuses: object) => {
        const messageIds = () => new Set(mail.mails().map(({ headers }) => headers['message-id']));
        await expect.poll(() => messageIds().size, { timeout: 120_000 }).toBe(mails);
        await running;
        const countStatuses = async () => {
          const byStatus = Map.groupBy(await readLog(), ({ status }) => status);
          return Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length]));
        };
        await expect.poll(countStatuses, { timeout: 120_000, interval: 1_000 }).toEqual(statuses);
      };
      await untilLogged(LIMIT, { sent: LIMIT, digest: REPLIES - LIMIT, waiting: 1 });
      expect(mail.mails().filter(isDigest)).toEqual([]);
      await passHour();
      await untilLogged(LIMIT + 1, { sent: LIMIT + 1, digest: REPLIES - LIMIT });
      expect(kills).toBe(KILLS);

      const received = Map.groupBy(mail.mails(), ({ headers }) => headers['message-id']);
      const leads = [...received.values()].flatMap(([copy]) => (copy === undefined ? [] : leadsOf(copy)));
      expect(new Set(leads).size).toBe(REPLIES);
      expect(leads).toHaveLength(REPLIES);
      const sent = (await readLog()).filter(({ status }) => status === 'sent');
      expect(received.size).toBe(sent.length);
      const repeated = sent.filter(({ messageId }) => received.get(messageId)?.length !== 1);
      expect(repeated.filter(({ lead }) => lead === null)).toHaveLength(1);
      expect(repeated.length).toBeGreaterThan(1);
      for (const { messageId, unconfirmedAttempts } of repeated) {
        const copies = received.get(messageId) ?? [];
        expect(copies).toHaveLength(2);
        expect(copies[1]?.text).toBe(copies[0]?.text);
        // A mail that may have arrived twice is recorded as such.
        expect(unconfirmedAttempts).toBe(1);
      }
      expect(mail.mails().length).toBe(sent.length + repeated.length);
    },
    600_000,
  );
});
