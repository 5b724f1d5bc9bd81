/** The stream of live events: what it says, when it ends, and what it may cost. */
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { performAdmin } from '@svc/operations/perform';
import type { Changes } from '@svc/engine/queue/changes';
import { createManualClock } from '@svc/engine/runtime/clock';
import { anyBackend, backends } from '@svc/engine/test/backends';
import express, { type Response } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLive } from '../../src/dashboard/live.ts';
import { type DashboardUser, signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

interface Stream {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  text(): string;
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

const post = {
  event_type: 'EMAIL_REPLY',
  to_email: 'live@prospect.example.com',
  event_timestamp: '2026-03-31T11:00:00Z',
};

describe.each(backends)('live events on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of a server', () => {
    let server: TestServer;
    let user: DashboardUser;
    const streams: Stream[] = [];
    beforeEach(async () => {
      server = await startTestServer(backend);
      user = await signIn(server, { email: 'kim@example.com', role: 'viewer' });
    });
    afterEach(async () => {
      for (const stream of streams.splice(0)) stream.close();
      await server.close();
    });

    const open = async (url = server.url, cookie = user.cookie) => {
      const stream = await openStream(url, cookie);
      streams.push(stream);
      return stream;
    };
    const changesIn = (stream: Stream) =>
      [...stream.text().matchAll(/event: change\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data));
    const sendPost = () => server.post('/webhooks/demo-smartlead', { ...post, unique: Math.random() });

    test('greets, then names the kinds of jobs and nothing else, at most once a second', async () => {
      const stream = await open();
      expect(stream).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'text/event-stream',
          'x-accel-buffering': 'no',
          'cache-control': 'no-store, no-transform',
        },
      });
      await expect.poll(() => stream.text()).toMatch(/^retry: 3000\n\nevent: hello\ndata: \{\}\n\n/);
      await sendPost();
      await expect.poll(() => changesIn(stream)).toEqual([{ kinds: ['process-receipt'] }]);
      await server.running.runner.runDue();
      expect(changesIn(stream)).toHaveLength(1);
      server.clock.advance(1_000);
      await expect.poll(() => changesIn(stream)).toHaveLength(2);
      const { kinds } = changesIn(stream)[1];
      expect(kinds).toContain('process-receipt');
      expect(kinds).toContain('write-crm');
      expect(stream.text()).not.toMatch(/prospect|example|smartlead/i);
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('a comment every 20 seconds keeps it open, and does not prolong the session', async () => {
      const stream = await open();
      for (let beat = 1; beat <= 3; beat++) {
        server.clock.advance(20_000);
        await expect.poll(() => stream.text().match(/^: $/gm) ?? []).toHaveLength(beat);
      }
      const used = async () =>
        (await server.db.query<{ at: Date }>('select last_used_at as at from user_sessions')).rows[0]?.at.getTime();
      const before = await used();
      server.clock.advance(20_000);
      await expect.poll(() => stream.text().match(/^: $/gm) ?? []).toHaveLength(4);
      expect(await used()).toBe(before);
    });

    test('ends at the heartbeat after the session', async () => {
      const stream = await open();
      const { users } = await performAdmin(server.running.ctx, 'users/list', {}, 'a test');
      await performAdmin(server.running.ctx, 'users/end-sessions', { id: users[0]?.id ?? 0 }, 'a test');
      server.clock.advance(20_000);
      await stream.ended;
      expect((await open()).status).toBe(401);
    });

    test('ends at once when the server stops', async () => {
      const other = await server.startAnother();
      const stream = await open(other.url);
      await Promise.all([stream.ended, other.close()]);
      expect(stream.text()).not.toContain('change');
    });

    test('a user has at most 20, and a closed one counts no more', async () => {
      const all = [];
      for (let count = 0; count < 20; count++) all.push(await open());
      const refused = await open();
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
      expect(JSON.parse(refused.text())).toMatchObject({ error: { code: 'too_many_requests' } });
      all[0]?.close();
      await expect.poll(async () => (await open()).status).toBe(200);
    });

    test('401 without a session, 404 for a HEAD', async () => {
      expect((await open(server.url, '')).status).toBe(401);
      const head = await fetch(`${server.url}/dashboard/api/live`, {
        method: 'HEAD',
        headers: { cookie: user.cookie },
      });
      expect(head.status).toBe(404);
    });

    test.runIf(backend.name === 'postgres')('hears of what other processes do', async () => {
      const other = await server.startAnother({ roles: new Set(['api']) });
      try {
        const stream = await open(other.url);
        await expect.poll(() => stream.text()).toContain('hello');
        await expect
          .poll(async () => {
            await sendPost();
            await server.running.runner.runDue();
            server.clock.advance(1_000);
            return changesIn(stream).flatMap(({ kinds }) => kinds);
          })
          .toContain('write-crm');
      } finally {
        await other.close();
      }
    });
  });
});

test('a client that does not read gets no more memory, and is cut off at the heartbeat', async () => {
  const clock = createManualClock(new Date());
  let tell = (_kinds: readonly string[]) => {};
  const changes: Pick<Changes, 'watch'> = {
    watch(onChange) {
      tell = onChange;
      return () => {};
    },
  };
  const live = createLive({ changes, clock });
  let opened: Response | undefined;
  const app = express().get('/', (_request, response) => {
    opened = response;
    live.open(response, { id: 1 }, async () => true);
  });
  const http = app.listen(0, '127.0.0.1');
  try {
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').pause();
    const closed = once(socket, 'close');
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // The system buffers megabytes, so the events are larger than they ever are.
    const kinds = ['k'.repeat(1_000_000)];
    const isHeldUp = () => opened?.writableNeedDrain === true;
    await expect
      .poll(() => {
        const wasHeldUp = isHeldUp();
        tell(kinds);
        return wasHeldUp;
      })
      .toBe(true);
    for (let count = 0; count < 50; count++) tell(kinds);
    expect(opened?.writableLength).toBeLessThan(2_000_000);
    clock.advance(20_000);
    socket.resume();
    await closed;
  } finally {
    http.close();
  }
});

function openStream(url: string, cookie: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/dashboard/api/live`, { headers: { cookie } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const ended = new Promise<void>((done) => response.once('close', () => done()));
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, text: () => text, ended, close: () => sent.destroy() });
    });
    sent.once('error', reject).end();
  });
}
