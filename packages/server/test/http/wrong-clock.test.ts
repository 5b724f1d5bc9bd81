import { expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer } from '../support/harness.ts';
import { postReply } from '../support/replies.ts';

test('while its clock is wrong, a server is not ready and runs no jobs, and keeps what it receives', async () => {
  let isRight = true;
  let tell = (_isRight: boolean) => {};
  const server = await startTestServer(anyBackend, {
    clockWatch: {
      isRight: () => isRight,
      onChange(listener) {
        tell = listener;
      },
      stop() {},
    },
  });
  const readHealth = async () => {
    const answer = await fetch(`${server.url}/health/ready`);
    return JSON.parse(await answer.text()).checks.clock;
  };
  expect(await readHealth()).toBeUndefined();
  isRight = false;
  tell(false);
  expect(await readHealth()).toBe('error');
  await postReply(server, 'meanwhile');
  expect(await server.running.runner.runDue()).toBe(0);
  expect((await server.db.query(`select from jobs where kind = 'process-receipt'`)).rowCount).toBe(1);
  await server.close();
});
