/** The parts of the ingest buffer that the roles of a process need. */
import type { Logger } from 'pino';
import type { Role } from '@svc/engine/config/roles';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Metrics } from '@svc/engine/runtime/metrics';
import type { SecretBox } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { createKnownPaths } from '../known-paths.ts';
import type { ReceiptStore } from '../receive.ts';
import { type Depth, BrokerUnavailableError } from './broker.ts';
import { createBufferedReceipts } from './buffered-receipts.ts';
import { createConsumer } from './consumer.ts';
import { createOfflinePaths } from './offline-paths.ts';
import { createPublisher } from './publisher.ts';
import { createRequestIds } from './request-ids.ts';

export interface Ingest {
  /** Null in a process that receives no posts. */
  receipts: ReceiptStore | null;
  /** Returns whether posts are taken while the database is away. */
  canBuffer(): boolean;
  depth(): Promise<Depth>;
  /** Call when no post is being received any more. */
  stop(): Promise<void>;
}

/** Does not wait for RabbitMQ. */
export async function startIngest(options: {
  url: string;
  roles: ReadonlySet<Role>;
  db: Database;
  clock: Clock;
  log: Logger;
  secrets: SecretBox;
  metrics: Metrics;
  direct: ReceiptStore;
  onStored: () => void;
}): Promise<Ingest> {
  const { roles } = options;
  const consumer = roles.has('worker') ? await createConsumer(options) : null;
  if (!roles.has('inbound')) {
    return {
      receipts: null,
      canBuffer: () => false,
      depth: () =>
        consumer === null
          ? Promise.reject(new BrokerUnavailableError('This process uses no ingest buffer.'))
          : consumer.depth(),
      stop: async () => consumer?.stop(),
    };
  }
  const paths = await createOfflinePaths({ ...options, direct: createKnownPaths(options) });
  const ids = await createRequestIds(options);
  const publisher = await createPublisher(options);
  return {
    receipts: createBufferedReceipts({ ...options, paths, ids, publisher }),
    canBuffer() {
      // A load balancer that waits for this sends no post that would connect.
      if (!publisher.isUsable()) void publisher.connectNow();
      return publisher.isUsable();
    },
    depth: () => publisher.depth(),
    async stop() {
      ids.stop();
      await Promise.all([consumer?.stop(), publisher.close()]);
    },
  };
}
