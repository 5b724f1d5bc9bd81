/**
 * Servers that are killed when the mail server has a relay mail and has not answered: real processes, real SMTP, both databases.
 * Each reply is mailed once; one whose answer the killed server never got, twice at most, with the same message id, and
 * recorded as such. The clocks of the servers run faster, so that the leases of the killed ones take seconds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SimulatedMail, startMailSimulator } from '@svc/simulators';
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
/** Mails that a relay sends in an hour where digests are tried. */
const LIMIT = 3;
const HOUR_MS = 3_600_000;
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

interface LoggedMail {
  status: string;
  messageId: string;
  unconfirmedAttempts: number;
}

function leadsIn(text: string): string[] {
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

  /** Starts a server with a relay, which is killed before the mail server answers, when `isKilledAt` says so. */
  async function startServer(options: {
    isKilledAt: (mails: readonly SimulatedMail[]) => boolean;
    env?: Record<string, string>;
  }) {
    const mail = await startMailSimulator();
    cleanUps.push(() => mail.close());
    const env = {
      ...(await place()),
      ...options.env,
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
      if (!options.isKilledAt(mail.mails())) return;
      kills += 1;
      await servers[0]?.stop('SIGKILL');
      restarted = start();
      // It is awaited below, maybe after it has failed.
      restarted.catch(() => {});
    });
    const postReplies = async (count: number) => {
      for (let number = 0; number < count; number += 1) {
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
    };
    const readLog = async (): Promise<LoggedMail[]> => (await admin('relays', 'log', '--limit', '10000')).mails;
    /** Stops the server in order, and starts one whose clock is an hour later. */
    const passHour = async () => {
      await restarted;
      await servers[0]?.stop('SIGTERM');
      clock.offsetMs += HOUR_MS;
      await start();
    };
    return { mail, postReplies, passHour, readLog, restarted: () => restarted, kills: () => kills };
  }

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${REPLIES} replies, ${KILLED_AT_MAILS.length} SIGKILLs between a mail and its answer`,
    async () => {
      const { mail, postReplies, readLog, restarted, kills } = await startServer({
        isKilledAt: (mails) => KILLED_AT_MAILS.includes(mails.length),
      });
      await postReplies(REPLIES);
      await expect
        .poll(() => new Set(mail.mails().map(({ headers }) => headers['message-id'])).size, { timeout: 60_000 })
        .toBe(REPLIES);
      await restarted();
      await expect
        .poll(async () => (await readLog()).filter(({ status }) => status === 'sent').length, { timeout: 60_000 })
        .toBe(REPLIES);

      expect(kills()).toBe(KILLED_AT_MAILS.length);
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

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${REPLIES} replies above a limit of ${LIMIT} an hour, SIGKILLs during mails and digests: each reply is in one of them`,
    async () => {
      const digests = (mails: readonly SimulatedMail[]) =>
        mails.filter(({ headers }) => headers['x-service-relay']?.endsWith('/digest'));
      let digestsKilled = 0;
      const { mail, postReplies, passHour, restarted, kills } = await startServer({
        env: { SVC_RELAY_MAILS_PER_HOUR: String(LIMIT) },
        isKilledAt(mails) {
          if (mails.length === 2) return true;
          if (digests(mails).length === 0 || digestsKilled > 0) return false;
          digestsKilled += 1;
          return true;
        },
      });
      await postReplies(REPLIES);
      const single = () =>
        mail.mails().flatMap(({ headers }) => /lead-\d+@lead\.example/.exec(headers['reply-to'] ?? '')?.[0] ?? []);
      const listed = () =>
        new Map(digests(mail.mails()).map(({ headers, text }) => [headers['message-id'], leadsIn(text)])).values();
      const told = () => [...new Set(single()), ...[...listed()].flat()];
      // Mails of the first hour, then its digest, and the same for what was not read before.
      await expect.poll(() => new Set(single()).size, { timeout: 60_000 }).toBeGreaterThanOrEqual(LIMIT);
      for (let hours = 0; hours < REPLIES && new Set(told()).size < REPLIES; hours += 1) {
        await passHour();
        await expect.poll(() => digests(mail.mails()).length, { timeout: 60_000 }).toBeGreaterThan(hours);
      }
      expect(new Set(told()).size).toBe(REPLIES);
      await restarted();
      expect(kills()).toBe(2);
      // Neither in two places, nor in a digest and in a mail of its own.
      expect(told()).toHaveLength(REPLIES);
      expect(digestsKilled).toBe(1);
      for (const [, copies] of Map.groupBy(mail.mails(), ({ headers }) => headers['message-id'])) {
        expect(copies.length).toBeLessThanOrEqual(2);
      }
    },
    300_000,
  );
});
