/** A whole server with the demo world, simulated CRMs and the built dashboard, inside the test's process. */
import { anyBackend } from '../../../../engine/test/support/backends.ts';
import { performAdmin } from '../../../../operations/src/perform.ts';
import { NOW, startTestServer, type TestServer } from '../../../../server/test/support/harness.ts';
import { settleWithin } from '../../../../server/test/support/replies.ts';
import { builtPage } from './built-page.ts';
import { findFreePort, startStrippingProxy } from './stripping-proxy.ts';

export { NOW };

export interface Dashboard {
  readonly server: TestServer;
  /** As the browser sees it, without a slash at the end. */
  readonly url: string;
  /** Returns a link that signs a user in once. */
  invite(email: string, role: 'admin' | 'viewer'): Promise<string>;
  /** Does what is due in the next minute. */
  settle(): Promise<void>;
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
  const proxy = prefix === undefined ? null : await startStrippingProxy({ port, prefix, target: server.url });
  const { ctx } = server.running;
  return {
    server,
    url: ctx.urls.dashboard,
    invite: async (email, role) => (await performAdmin(ctx, 'users/invite', { email, role }, 'a test')).link,
    settle: () => settleWithin(server, 60_000),
    async close() {
      await proxy?.close();
      await server.close();
    },
  };
}
