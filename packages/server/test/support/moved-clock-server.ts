/**
 * `svc-server start` with a clock that the parent process can move forward, for schedules that take hours. Time also
 * passes by itself, and faster if wanted: RATE is its speed since EPOCH_MS, a time of the machine's clock. Clocks of the
 * same rate and epoch agree. Started by `startMovedClockServer`: `node moved-clock-server.ts RECEIVER_PORT OFFSET_MS
 * RATE EPOCH_MS`, with the server's environment and an IPC channel.
 *
 * The parent sends `MovedClockOrder`s and gets each back once it is done. Workers must rest while clocks are moved:
 * processes move theirs at different instants, and in between the leases of one would look expired to the other.
 * Webhooks of any public name are delivered to the loopback port, behind the real guard; with port 0 the system's network is used.
 */
import { listenForAdmin } from '../../src/admin/socket/socket-server.ts';
import type { Clock } from '@svc/engine/runtime/clock';
import { readConfig } from '@svc/engine/config/config';
import { bindServer } from '../../src/http/listen.ts';
import { createLogger } from '@svc/engine/runtime/logger';
import { createOutbound } from '@svc/engine/outbound/outbound';
import { createSystemResolve, systemDial } from '@svc/engine/outbound/system-network';
import { createSecretBox } from '@svc/engine/secrets/secret-box';
import { startServer } from '../../src/main/server.ts';
import { openDatabase } from '@svc/engine/store/database/open-database';

/** `rest` ends once running jobs have ended; `offsetMs` is how far the clock shall be ahead of the machine's. */
export type MovedClockOrder = 'rest' | 'work' | { offsetMs: number };

const [receiverPort = 0, offsetMs = 0, rate = 1, epochMs = 0] = process.argv.slice(2).map(Number);
const clock = createMovedClock(offsetMs);
const config = readConfig();
const log = createLogger(config);
const outbound = createOutbound(
  receiverPort === 0
    ? {
        resolve: createSystemResolve({ asksSystem: true }),
        dial: systemDial,
        allowedCidrs: config.outboundAllowedCidrs,
      }
    : {
        resolve: async () => ['93.184.215.14'],
        dial: (target) =>
          systemDial({ ...target, addresses: ['127.0.0.1'], host: '127.0.0.1', port: receiverPort, isTls: false }),
        allowedCidrs: [],
      },
);
const bound = await bindServer({ ...config, port: Number(process.env['SVC_PORT'] ?? 0) });
const dataDir = config.dataDir ?? '';
const db = await openDatabase(config, dataDir, log);
const secrets = createSecretBox(config.encryptionKeys ?? []);
const server = await startServer({ bound, outbound, config, db, secrets, clock, log, fetch: globalThis.fetch });
// The embedded database is read through the server that has it open.
const admin = db.backend === 'pglite' ? await listenForAdmin({ ctx: server.ctx, dataDir, log }) : null;
process.on('message', (order: MovedClockOrder) => {
  void carryOut(order).then(() => process.send?.(order));
});
// The test has ended.
process.on('disconnect', () => process.exit(0));
process.once('SIGTERM', () => {
  void Promise.resolve(admin?.close())
    .then(() => server.close())
    .then(() => process.exit(0));
});
process.stdout.write(`svc-server is ready on ${server.url}\n`);

async function carryOut(order: MovedClockOrder): Promise<void> {
  if (order === 'rest') await server.runner.stop();
  else if (order === 'work') server.runner.start();
  else clock.moveTo(order.offsetMs);
}

/** The machine's clock, faster by the rate, plus an offset; a move immediately fires timers that came due. */
function createMovedClock(startMs: number): Clock & { moveTo(offsetMs: number): void } {
  let aheadMs = startMs;
  const nowMs = () => Math.trunc(epochMs + (Date.now() - epochMs) * rate) + aheadMs;
  const timers = new Set<{ arm: () => void }>();
  return {
    now: () => new Date(nowMs()),
    monotonicMs: () => performance.now() * rate,
    setTimer(callback, delayMs) {
      const at = nowMs() + delayMs;
      let handle: NodeJS.Timeout | undefined;
      const timer = {
        arm() {
          clearTimeout(handle);
          handle = setTimeout(fire, Math.max(0, at - nowMs()) / rate);
        },
      };
      const fire = () => {
        timers.delete(timer);
        callback();
      };
      timer.arm();
      timers.add(timer);
      return () => {
        clearTimeout(handle);
        timers.delete(timer);
      };
    },
    moveTo(next) {
      aheadMs = next;
      for (const timer of timers) timer.arm();
    },
  };
}
