/** A whole server with the demo world, simulated CRMs and the built dashboard, inside the test's process. */
import { anyBackend } from '../../../../engine/test/support/backends.ts';
import { performAdmin } from '../../../../operations/src/perform.ts';
import { NOW, startTestServer, type TestServer } from '../../../../server/test/support/harness.ts';
import { settleWithin } from '../../../../server/test/support/replies.ts';
import { builtPage } from './built-page.ts';
import { type Forwarder, startForwarder } from './forwarder.ts';
import { findFreePort, startStrippingProxy } from './stripping-proxy.ts';

export { NOW };

export interface Dashboard {
  readonly server: TestServer;
  /** As the browser sees it, without a slash at the end. */
  readonly url: string;
  /** Returns a link that signs a user in once. */
  invite(email: string, role: 'admin' | 'viewer'): Promise<string>;
  /** Where the proxy of a prefix finds the server. */
  readonly behindProxy: string;
  /** Does what is due in the next minute. */
  settle(): Promise<void>;
  /** Behind the proxy of a prefix nothing answers any more, until `start`. */
  stop(): void;
  /** Another process with the same database answers from now on. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** @param prefix of the public address, which nginx takes away. Default: none, and no proxy */
export async function startDashboard({
  prefix,
  env: others = {},
  fetch,
}: {
  prefix?: string;
  env?: Readonly<Record<string, string>>;
  fetch?: typeof globalThis.fetch;
} = {}): Promise<Dashboard> {
  const port = prefix === undefined ? 0 : await findFreePort();
  const env: Record<string, string> =
    prefix === undefined ? others : { ...others, SVC_DASHBOARD_URL: `http://127.0.0.1:${port}${prefix}/dashboard` };
  const server = await startTestServer(anyBackend, {
    env,
    dashboardFolder: builtPage(),
    ...(fetch === undefined ? {} : { fetch }),
  });
  const forwarder: Forwarder = await startForwarder();
  forwarder.connectTo(server.url);
  const proxy = prefix === undefined ? null : await startStrippingProxy({ port, prefix, target: forwarder.url });
  const { ctx } = server.running;
  let { running } = server;
  return {
    server,
    url: ctx.urls.dashboard,
    behindProxy: forwarder.url,
    invite: async (email, role) => (await performAdmin(ctx, 'users/invite', { email, role }, 'a test')).link,
    settle: () => settleWithin({ ...server, running }, 60_000),
    stop: () => forwarder.connectTo(null),
    async start() {
      running = await server.startAnother();
      forwarder.connectTo(running.url);
    },
    async close() {
      await proxy?.close();
      await forwarder.close();
      if (running !== server.running) await running.close();
      await server.close();
    },
  };
}
