/** A server that is killed at work and started again: its jobs do not wait for the end of their leases. Clocks hardly move. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { runServerCommandHere, startMovedClockServer } from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const WORLD = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));
/** A lease of 15 s takes 25 minutes. */
const RATE = 0.01;

test.skipIf(databaseUrl === null || process.platform !== 'linux')(
  'a restarted server takes the jobs of its killed predecessor at once',
  async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    onTestFinished(() => database.drop());
    const env = {
      ...{ DATABASE_URL: database.url, SVC_ENCRYPTION_KEY: generateEncryptionKey() },
      ...{ SVC_RATE_LIMIT: 'off', SVC_LOG_LEVEL: 'warn' },
    };
    expect(await runServerCommandHere(['world', 'load', WORLD], env)).toMatchObject({ code: 0 });
    const posts: ServerResponse[] = [];
    const receiver = createServer((request, response) => {
      request.resume();
      posts.push(response);
      // The first one is never answered.
      if (posts.length > 1) response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => {
      receiver.close();
      receiver.closeAllConnections();
    });
    const { port: receiverPort } = receiver.address() as AddressInfo;
    const start = () => startMovedClockServer({ receiverPort, offsetMs: 0, rate: RATE, epochMs: Date.now() }, env);

    const killed = await start();
    const call = async (path: string, body?: object) => {
      const answer = await fetch(`${killed.url}/api/v1/webhooks${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer osapi_minimal', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.ok).toBe(true);
      return JSON.parse(await answer.text());
    };
    const { id } = await call('', { url: 'https://receiver.example.com/' });
    await call(`/${id}/test`);
    await expect.poll(() => posts.length).toBe(1);
    await killed.stop('SIGKILL');
    const restarted = await start();
    onTestFinished(async () => void (await restarted.stop('SIGKILL')));
    await expect.poll(() => posts.length).toBe(2);
    const db = openPostgres(database.url, { maxConnections: 1 });
    onTestFinished(() => db.close());
    await expect
      .poll(async () => (await db.query('select from webhook_deliveries where status = $1', ['SUCCEEDED'])).rowCount)
      .toBe(1);
  },
  600_000,
);
