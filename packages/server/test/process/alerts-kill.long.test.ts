/**
 * The commands of the document about alert channels, and servers that are killed between the beginning of an incident and its message,
 * and between the message and its answer: real processes, real HTTP and SMTP, both databases. Each channel gets one message when the
 * incident begins and one when it ends; only a chat whose answer the killed server never got has a message twice. Meanwhile a channel that
 * does not answer delays neither the other channels nor what goes to the CRM.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerAsChat, startHubspotSimulator, startMailSimulator, startReceiverSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type MovedClockServer, runServerCommandHere, startMovedClockServer } from '../support/processes.ts';

const MINUTE_MS = 60_000;
const databaseUrl = inject('databaseUrl');
const fileOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const URLS = {
  slack: 'https://hooks.slack.com/services/T0/B0/secret',
  teams: 'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=secret',
  discord: 'https://discord.com/api/webhooks/1/secret',
};
const [SLACK, TEAMS, DISCORD] = Object.values(URLS).map((url) => new URL(url).host);
const MAIL = 'mail';
const BEGINS = 'HUBSPOT connection 1 is disconnected, so its events are not written';
const ENDS = 'Recovered: HUBSPOT connection 1 is connected';

/** The marked commands of the document, with the files of this folder. */
async function readCommands(folder: string): Promise<string[][]> {
  const text = await readFile(fileOf('docs/alert-channels.md'), 'utf8');
  const blocks = [...text.matchAll(/<!-- a test runs these commands -->\n```sh\n(.*?)```/gs)];
  const lines = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map((line) => {
    const [program, ...args] = line.split(' ');
    expect(program).toBe('svc-server');
    return args.map((arg) => (arg.endsWith('.txt') ? join(folder, arg) : arg));
  });
}

describe.each(['pglite', 'postgres'])('alerts on %s', (backend) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function place(folder: string): Promise<Record<string, string>> {
    if (backend === 'pglite') return { SVC_DATA_DIR: join(folder, 'data') };
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    return { DATABASE_URL: database.url };
  }

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    'an incident and two SIGKILLs: one message when it begins and one when it ends',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-alerts-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      const [crm, chats, mail] = await Promise.all([
        startHubspotSimulator(),
        startReceiverSimulator(),
        startMailSimulator(),
      ]);
      cleanUps.push(() => Promise.all([crm.close(), chats.close(), mail.close()]));
      chats.answerAlways(answerAsChat);
      const env = {
        ...(await place(folder)),
        SVC_ENCRYPTION_KEY: generateEncryptionKey(),
        SVC_RATE_LIMIT: 'off',
        SVC_LOG_LEVEL: 'error',
        SVC_HUBSPOT_URL: crm.url,
        SVC_SMTP_URL: mail.url,
        SVC_MAIL_FROM: 'alerts@svc.example',
      };
      const run = async (args: string[], input = '') => {
        const result = await runServerCommandHere(args, env, input);
        expect([args, result]).toMatchObject([args, { code: 0 }]);
        return result.stdout;
      };
      const clock = { receiverPort: Number(new URL(chats.url).port), offsetMs: 0 };
      const start = async (): Promise<MovedClockServer> => {
        const started = await startMovedClockServer(clock, env);
        cleanUps.push(() => started.stop('SIGKILL'));
        return started;
      };
      const pass = async (server: MovedClockServer, ms: number) => {
        clock.offsetMs += ms;
        await server.order({ offsetMs: clock.offsetMs });
      };
      const incidents = async () => JSON.parse(await run(['alerts', 'list', '--json'])).incidents;
      /** How many messages with this title each channel has. */
      const counts = (title: string) => {
        const byHost = Object.groupBy(
          chats.posts().filter(({ body }) => body.includes(`"${title}"`)),
          ({ host }) => host,
        );
        const mails = mail.mails().filter(({ subject }) => subject === title);
        const ofChats = Object.fromEntries(Object.entries(byHost).map(([host, posts]) => [host, posts?.length]));
        return mails.length === 0 ? ofChats : { ...ofChats, [MAIL]: mails.length };
      };
      const onceEach = { [SLACK ?? '']: 1, [TEAMS ?? '']: 1, [DISCORD ?? '']: 1, [MAIL]: 1 };
      const until = (title: string, expected: object) =>
        expect.poll(() => counts(title), { timeout: 60_000 }).toEqual(expected);

      await run(['world', 'load', fileOf('fixtures/minimal-world.json')]);
      for (const [kind, url] of Object.entries(URLS)) await writeFile(join(folder, `${kind}-url.txt`), url);
      const first = await start();
      const commands = await readCommands(folder);
      expect(commands.map(([, verb]) => verb)).toEqual(['add', 'add', 'add', 'add', 'test', 'list']);
      for (const args of commands) await run(args);
      await until('Test alert', { [SLACK ?? '']: 1 });

      // Killed between the beginning of the incident and its messages.
      await first.order('rest');
      await run(['connections', 'disconnect', '1']);
      await pass(first, MINUTE_MS);
      await expect.poll(incidents, { timeout: 60_000 }).toMatchObject([{ topic: 'crm-disconnected', summary: BEGINS }]);
      await first.stop('SIGKILL');
      expect(counts(BEGINS)).toEqual({});
      const second = await start();
      await until(BEGINS, onceEach);

      // The end of the incident: Slack gets the message and does not answer.
      chats.answerAlways((post) => (post.host === SLACK ? 'hang' : answerAsChat(post)));
      const organization = ['--organization-id', '1000001', '--organization-domain', 'example.com'];
      await run(['connections', 'add', '--account', '1', '--crm', 'HUBSPOT', ...organization], 'any-token');
      // Time passes while no message is on its way: one that takes a minute is sent again.
      await second.order('rest');
      const isCleared = async () => {
        await pass(second, MINUTE_MS);
        return (await incidents()).length;
      };
      await expect.poll(isCleared, { timeout: 60_000, interval: 100 }).toBe(0);
      await second.order('work');
      await until(ENDS, onceEach);
      const reply = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'lead@example.org', stats_id: 'reply' });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${second.url}/webhooks/minimal-smartlead`, { method: 'POST', headers, body: reply });
      await expect.poll(() => crm.state().counts.engagements, { timeout: 60_000 }).toBe(1);
      const waiting = JSON.parse(await run(['alerts', 'list', '--json'])).channels;
      expect(waiting.map(({ waitingCount }: { waitingCount: number }) => waitingCount)).toEqual([1, 0, 0, 0]);
      await second.stop('SIGKILL');

      // Nobody knows whether Slack has the message, so it comes once more, and to nobody else.
      chats.answerAlways(answerAsChat);
      clock.offsetMs += MINUTE_MS;
      const third = await start();
      await until(ENDS, { ...onceEach, [SLACK ?? '']: 2 });
      await expect
        .poll(async () => JSON.parse(await run(['alerts', 'list', '--json'])).channels, { timeout: 60_000 })
        .toMatchObject([0, 0, 0, 0].map((waitingCount) => ({ waitingCount, lastError: null })));
      await pass(third, 10 * MINUTE_MS);
      expect([await incidents(), counts(BEGINS), counts(ENDS)]).toEqual([
        ...[[], onceEach],
        { ...onceEach, [SLACK ?? '']: 2 },
      ]);
    },
    180_000,
  );
});
