/**
 * Servers that are killed while events are held and released: real processes, real HTTP, both databases. Each event that was released is
 * written once, those of a lead in the order in which they were posted; the others wait until somebody releases them. Each counts once in the last values of
 * its lead. The clocks of the
 * servers run faster, so that the leases of the killed ones take seconds.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { openPglite } from '@svc/engine/store/database/pglite';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type MovedClockServer, runServerCommand, startMovedClockServer } from '../support/processes.ts';

const LEADS = sized(60);
/** Every fifth lead never answers. */
const answers = (lead: number) => lead % 5 !== 0;
/** The events of a lead, as they are posted. The reply releases. */
const EVENTS = ['EMAIL_SENT', 'EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_SENT'];
const KILLED_AT_POST = Math.ceil(LEADS * EVENTS.length * 0.7);
/** The call of the CRM at which a server is killed: it writes what a reply released. */
const KILLED_AT_CALL = 5;
/** How much faster the servers' clocks run: a lease takes 1.5 s. */
const RATE = 10;
const databaseUrl = inject('databaseUrl');
const minimalWorld = new URL('../../../../fixtures/minimal-world.json', import.meta.url);

describe.each(['pglite', 'postgres'])('held events on %s', (backend) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${LEADS} leads, SIGKILLs while their events are held, released and written: each is written once and in order`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-held-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      let place: Record<string, string> = { SVC_DATA_DIR: join(folder, 'data') };
      if (backend === 'postgres') {
        const database = await createTestDatabase(databaseUrl ?? '');
        cleanUps.push(() => database.drop());
        place = { DATABASE_URL: database.url };
      }
      let calls = 0;
      let killedAtCall = Infinity;
      let kill = async () => {};
      const kills: Promise<void>[] = [];
      const crm = await startHubspotSimulator({
        faults: () => {
          calls += 1;
          if (calls === killedAtCall) kills.push(kill());
          return null;
        },
      });
      cleanUps.push(() => crm.close());
      const env = {
        ...place,
        SVC_ENCRYPTION_KEY: generateEncryptionKey(),
        SVC_RATE_LIMIT: 'off',
        SVC_LOG_LEVEL: 'error',
        SVC_HUBSPOT_URL: crm.url,
      };
      const world = JSON.parse(await readFile(minimalWorld, 'utf8'));
      world.sources[0].policy = { holdUntil: { reply: true }, lastValues: ['sentCount', 'replyCount'] };
      const file = join(folder, 'world.json');
      await writeFile(file, JSON.stringify(world));
      expect(await runServerCommand(['world', 'load', file], env)).toMatchObject({ code: 0 });
      expect(await runServerCommand(['connections', 'prepare', '1'], env)).toMatchObject({ code: 0 });
      calls = 0;
      killedAtCall = KILLED_AT_CALL;

      const clock = { receiverPort: 0, offsetMs: 0, rate: RATE, epochMs: Date.now() };
      const start = async (): Promise<MovedClockServer> => {
        const started = await startMovedClockServer(clock, env);
        cleanUps.push(() => started.stop('SIGKILL'));
        return started;
      };
      let running = start();
      /** A command whose server is killed may open the embedded database itself; the next server starts behind it. */
      let command: Promise<unknown> = Promise.resolve();
      kill = async () => {
        running = running
          .then((server) => server.stop('SIGKILL'))
          .then(() => command)
          .then(start);
        await running;
      };
      await running;

      let posts = 0;
      const post = async (lead: number, position: number) => {
        const body = JSON.stringify({
          event_type: EVENTS[position],
          to_email: `lead-${lead}@lead.example`,
          stats_id: `${lead}-${position}`,
          subject: `${lead} ${position}`,
          campaign_id: 1,
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
        posts += 1;
        if (posts === KILLED_AT_POST) kills.push(kill());
      };
      let next = 0;
      const postLeads = async () => {
        while (next < LEADS) {
          const lead = next;
          next += 1;
          for (const [position, type] of EVENTS.entries()) {
            if (type !== 'EMAIL_REPLY' || answers(lead)) await post(lead, position);
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, postLeads));
      await Promise.all(kills);

      const leads = Array.from({ length: LEADS }, (_, lead) => lead);
      const eventsOf = (lead: number) =>
        EVENTS.flatMap((type, position) => (type !== 'EMAIL_REPLY' || answers(lead) ? [`${lead} ${position}`] : []));
      const written = () =>
        crm
          .engagements()
          .toSorted((a, b) => Number(a.id) - Number(b.id))
          .map(({ properties }) => String(properties['hs_email_subject']));
      const writtenByLead = () => Map.groupBy(written(), (subject) => Number(subject.split(' ')[0]));
      const expected = (those: readonly number[]) => new Map(those.map((lead) => [lead, eventsOf(lead)]));
      const answered = leads.filter(answers);
      const inOrder = (found: ReadonlyMap<number, string[]>) => [...found].toSorted(([a], [b]) => a - b);
      await expect
        .poll(() => written().length, { timeout: 200_000, interval: 250 })
        .toBe([...expected(answered).values()].flat().length);
      expect(inOrder(writtenByLead())).toEqual(inOrder(expected(answered)));

      // A release by hand; the server is killed when it writes the first of these events.
      const admin = (...args: string[]) => runServerCommand([...args, '--json'], env);
      const held = JSON.parse((await admin('sources', 'held', '1')).stdout);
      expect(held).toMatchObject({ events: 3 * (LEADS - answered.length), leadCount: LEADS - answered.length });
      const begun = kills.length;
      killedAtCall = calls + 1;
      command = admin('sources', 'release', '1', '--all');
      await command;
      await expect.poll(() => kills.length, { timeout: 60_000 }).toBe(begun + 1);
      await Promise.all(kills);
      await expect
        .poll(() => written().length, { timeout: 200_000, interval: 250 })
        .toBe([...expected(leads).values()].flat().length);
      expect(inOrder(writtenByLead())).toEqual(inOrder(expected(leads)));
      expect(JSON.parse((await admin('sources', 'held', '1')).stdout)).toMatchObject({ events: 0, leads: [] });

      const values = ({ properties }: ReturnType<typeof crm.contacts>[number]) => [
        properties['email'],
        properties['svc_sent_count'],
        properties['svc_reply_count'],
      ];
      const inCrm = () => new Set(crm.contacts().map((contact) => values(contact).join(' ')));
      const wanted = new Set(leads.map((lead) => `lead-${lead}@lead.example 3 ${answers(lead) ? '1' : ''}`));
      await expect.poll(inCrm, { timeout: 60_000, interval: 250 }).toEqual(wanted);

      await (await running).stop();
      const db =
        'DATABASE_URL' in place ? openPostgres(place['DATABASE_URL'] ?? '') : await openPglite(join(folder, 'data'));
      cleanUps.push(() => db.close());
      const { rows } = await db.query<{ identity: string; counts: object }>(
        `select identity, state -> 'counts' as counts from last_values`,
      );
      const counted = leads.map((lead) => ({
        identity: `lead-${lead}@lead.example`,
        counts: { sentCount: 3, ...(answers(lead) ? { replyCount: 1 } : {}) },
      }));
      expect(rows.toSorted((a, b) => a.identity.localeCompare(b.identity))).toEqual(
        counted.toSorted((a, b) => a.identity.localeCompare(b.identity)),
      );
    },
    600_000,
  );
});
