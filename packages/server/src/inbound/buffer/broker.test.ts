import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { connectBroker } from './broker.ts';

test('a connection that is needed is tried at once, however long the wait for the next try is', async () => {
  let tries = 0;
  const broken = createServer((socket) => {
    tries += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void broken.close());
  const broker = await connectBroker({
    url: `amqp://127.0.0.1:${(broken.address() as AddressInfo).port}`,
    name: 'test',
    log: pino({ level: 'silent' }),
    onChannel: () => {},
  });
  onTestFinished(() => broker.close());
  // By themselves, so many tries take 100 seconds.
  for (let count = 1; count <= 15; count += 1) {
    await broker.connectNow();
    expect(tries).toBeGreaterThanOrEqual(count);
  }
  expect(broker.channel()).toBeNull();
});
