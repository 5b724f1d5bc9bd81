/** Posts to sources that require a secret, on both databases: refused before anything is stored, counted, and rotated. */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/perform';
import { generateEncryptionKey, createSecretBox } from '@svc/engine/secrets/secret-box';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { growthOf, parseScrape } from '../support/scrape.ts';

const opened = await readFile(
  new URL('../../../../fixtures/payloads/smartlead/email-open.json', import.meta.url),
  'utf8',
);
/** How long servers may use secrets that were replaced. */
const NOTICED_MS = 5_000;
const NOT_AUTHENTIC = {
  statusCode: 401,
  message: 'The post does not carry the secret or signature that this source requires',
  error: 'Unauthorized',
};

describe.each(backends)('secrets of sources on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('a server', () => {
    let server: TestServer;
    const logged: unknown[] = [];
    beforeAll(async () => {
      const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line)) });
      server = await startTestServer(backend, { log });
    });
    afterAll(async () => {
      await server.close();
    });
    const run = async <Name extends AdminOperationName>(name: Name, input: AdminInput<Name>) =>
      (await performAdmin(server.running.ctx, name, input, 'a test')) as AdminResult<Name>;
    const setSecret = async (input: AdminInput<'sources/set-secret'>) => {
      const result = await run('sources/set-secret', input);
      server.clock.advance(NOTICED_MS);
      return result;
    };
    const smartlead = (body: string, secret: string) => ({
      'x-smartlead-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    });
    const post = async (path: string, headers: Record<string, string> = {}, body = opened) =>
      (await server.post(`/webhooks/${path}`, body, headers)).status;
    const countRequests = async () =>
      (await server.db.query<{ count: number }>('select count(*) as count from requests')).rows[0]?.count;
    const sourceOf = async (id: number) => {
      const { sources } = await run('sources/list', {});
      return sources.find((source) => source.id === id)?.authenticity;
    };
    /** Waits until the counts in memory are written. */
    const writeCounts = async (id: number, expected: object[]) => {
      server.clock.advance(10_000);
      await expect.poll(async () => (await sourceOf(id))?.refused).toEqual(expected);
    };
    beforeEach(async () => {
      await server.db.query('delete from inbound_refusals');
    });

    test('a wrong and a missing signature get the same 401, and only their number is kept', async () => {
      const before = [await countRequests(), parseScrape(await (await fetch(`${server.url}/metrics`)).text())] as const;
      await setSecret({ id: 1, secret: 'first' });
      const answers = [
        await server.post('/webhooks/demo-smartlead', opened),
        await server.post('/webhooks/demo-smartlead', opened, smartlead(opened, 'other')),
        await server.post('/webhooks/demo-smartlead', `${opened} `, smartlead(opened, 'first')),
      ];
      expect(answers.map(({ status, json }) => [status, json])).toEqual(Array(3).fill([401, NOT_AUTHENTIC]));
      expect(await countRequests()).toBe(before[0]);
      expect(await post('demo-smartlead', smartlead(opened, 'first'))).toBe(200);
      expect(await countRequests()).toBe((before[0] ?? 0) + 1);
      expect(await post('demo-nobody')).toBe(404);
      expect(await post('demo-smartlead', {}, 'not JSON')).toBe(400);
      const after = parseScrape(await (await fetch(`${server.url}/metrics`)).text());
      expect(growthOf(before[1], after, 'svc_inbound_refused_total')).toEqual({
        'reason="missing"': 1,
        'reason="wrong"': 2,
      });
      expect(growthOf(before[1], after, 'svc_inbound_posts_total')).toMatchObject({ 'outcome="not_authentic"': 3 });
      const day = server.clock.now().toISOString().slice(0, 10);
      await writeCounts(1, [{ day, missing: 1, wrong: 2 }]);
      const { checks } = await run('doctor/check', {});
      expect(checks.filter(({ name }) => name === 'refused posts')).toMatchObject([
        {
          status: 'WARN',
          message: `source 1 refused posts on ${day}: 1 without a secret or signature, 2 with a wrong or outdated one`,
        },
      ]);
      await post('demo-smartlead');
      await writeCounts(1, [{ day, missing: 2, wrong: 2 }]);
    });

    // How a secret is checked does not depend on the database.
    if (backend !== anyBackend) return;

    test('a header of its own is compared, and is not stored', async () => {
      // Stored for other sources, because some platforms name the event so.
      const header = 'x-event-secret';
      await setSecret({ id: 2, secret: 'of-instantly', header: 'X-Event-Secret' });
      expect(await post('demo-instantly')).toBe(401);
      expect(await post('demo-instantly', { [header]: 'of-instantly.' })).toBe(401);
      expect(await post('demo-instantly', { [header]: 'of-instantly' })).toBe(200);
      const { rows } = await server.db.query<{ headers: object }>(
        'select headers from requests where source_id = 2 order by id desc limit 1',
      );
      expect(rows[0]?.headers).not.toHaveProperty(header);
    });

    test('a replaced secret stays valid for as long as asked, also when it was checked in another way', async () => {
      await setSecret({ id: 3, secret: 'old', header: 'x-old' });
      const { keptUntil } = await setSecret({ id: 3, secret: 'new', hmacHeader: 'X-Signature', keepOld: '1h' });
      const signed = { 'x-signature': createHmac('sha256', 'new').update(opened).digest('hex') };
      const statuses = async () => [
        await post('demo-heyreach', { 'x-old': 'old' }),
        await post('demo-heyreach', signed),
      ];
      expect(await statuses()).toEqual([200, 200]);
      expect(await sourceOf(3)).toMatchObject({
        secret: 'on',
        accepted: [
          { check: 'hmac-sha256', name: 'x-signature', validUntil: null },
          { check: 'header', name: 'x-old', validUntil: keptUntil },
        ],
      });
      // The same again changes nothing for the old one.
      await setSecret({ id: 3, secret: 'new', hmacHeader: 'x-signature', keepOld: '2h' });
      expect((await sourceOf(3))?.accepted[1]?.validUntil).toBe(keptUntil);
      server.clock.advance(3_600_000 - 2 * NOTICED_MS - 1);
      expect(await statuses()).toEqual([200, 200]);
      server.clock.advance(1 + NOTICED_MS);
      expect(await statuses()).toEqual([401, 200]);
      await setSecret({ id: 3, secret: 'newest', header: 'x-old', keepOld: '0s' });
      expect(await statuses()).toEqual([401, 401]);
      expect(await post('demo-heyreach', { 'x-old': 'newest' })).toBe(200);
    });

    test('a genuine signature that is too old is refused, counted and told to the log', async () => {
      await setSecret({ id: 13, secret: 'timed', timedHmacHeader: 'X-Timed', tolerance: '2m' });
      const signed = (t: number) => ({
        'x-timed': `t=${t},v1=${createHmac('sha256', 'timed').update(`${t}.${opened}`).digest('hex')}`,
      });
      const path = 'other-smartlead';
      const nowSeconds = Math.floor(server.clock.now().getTime() / 1_000);
      expect(await post(path, signed(nowSeconds - 120))).toBe(200);
      expect(await post(path, signed(nowSeconds - 122))).toBe(401);
      expect(await post(path, signed((nowSeconds - 122) * 1_000))).toBe(401);
      const day = server.clock.now().toISOString().slice(0, 10);
      await writeCounts(13, [{ day, missing: 0, wrong: 2 }]);
      expect(logged).toContainEqual(
        expect.objectContaining({ level: 40, sourceId: 13, posts: 2, msg: expect.stringContaining('genuine') }),
      );
    });

    test('another process notices a change within five seconds', async () => {
      const another = await server.startAnother();
      const postThere = async () =>
        (await fetch(`${another.url}/webhooks/demo-emailbison`, { method: 'POST', body: '{}' })).status;
      expect([await post('demo-emailbison'), await postThere()]).toEqual([200, 200]);
      const { generated } = await run('sources/set-secret', { id: 12, header: 'x-s' });
      server.clock.advance(NOTICED_MS);
      expect([await post('demo-emailbison'), await postThere()]).toEqual([401, 401]);
      expect(await post('demo-emailbison', { 'x-s': generated ?? '' })).toBe(200);
      await run('sources/remove-secret', { id: 12 });
      server.clock.advance(NOTICED_MS);
      expect([await post('demo-emailbison'), await postThere()]).toEqual([200, 200]);
      expect(await sourceOf(12)).toMatchObject({ secret: 'off', accepted: [] });
      await another.close();
    });

    test('a secret that cannot be decrypted, or was discarded, gets a 503 until it is set again', async () => {
      await setSecret({ id: 11, secret: 'of-reply', header: 'x-s' });
      const other = createSecretBox([generateEncryptionKey()]).encrypt('[]', { kind: 'source secret', id: 11 });
      const store = async (sealed: string | null) => {
        await server.db.query('update sources set secrets = $1 where id = 11', [sealed]);
        await server.db.query(`update service_meta set value = value || '0' where key = 'source-secrets-version'`);
        server.clock.advance(NOTICED_MS);
      };
      await store(other);
      expect(await post('demo-reply-io', { 'x-s': 'of-reply' })).toBe(503);
      expect(await sourceOf(11)).toMatchObject({ secret: 'unreadable', accepted: [] });
      const { discarded } = await run('secrets/discard', { isConfirmed: true });
      expect(discarded).toEqual([{ kind: 'source secret', id: 11 }]);
      server.clock.advance(NOTICED_MS);
      expect(await post('demo-reply-io', { 'x-s': 'of-reply' })).toBe(503);
      const { notices } = await setSecret({ id: 11, secret: 'again', header: 'x-s' });
      expect(notices).toEqual(['The earlier secret could not be decrypted, so it is no longer accepted.']);
      expect(await post('demo-reply-io', { 'x-s': 'again' })).toBe(200);
    });
  });
});
