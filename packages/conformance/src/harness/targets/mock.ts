/**
 * The mock as three targets: behind MSW and the runtime's own `fetch`, as the function that takes the place of `fetch`, and
 * as the process `svc-mock`, of which nothing is known but its HTTP. Posts to customers' hosts are routed to receivers on loopback;
 * all others end in the mock's outbox, which answers 200.
 */
import type { World } from '@svc/domain/world';
import { createMock, type Mock, type MockSettings } from '@svc/mock';
import { setupServer } from 'msw/node';
import { startReceivers } from './receivers.ts';
import { startSvcMock } from './svc-mock-process.ts';
import type { CrmControl, ApiAddress, RunningTarget, StartOptions, Target } from './target.ts';

/** A target that reads a URL as it is written, and never asks where a name points to. */
const RESOLVES_NO_NAMES = {
  resolvesHostNames: false,
  setHostAddress: () => {
    throw new Error('This target looks no names up.');
  },
};

export const mockBehindMsw: Target = {
  name: 'mock behind MSW',
  isAvailable: true,
  resolvesHostNames: RESOLVES_NO_NAMES.resolvesHostNames,
  acceptsRawRequests: false,
  start: (_world, options, file) => startInProcess('http://msw.example.com/svc', file, options, interceptFetch),
};

export const mockFetch: Target = {
  name: 'mock as a fetch function',
  isAvailable: true,
  resolvesHostNames: RESOLVES_NO_NAMES.resolvesHostNames,
  acceptsRawRequests: false,
  start: (_world, options, file) => startInProcess('http://mock.example.com', file, options, replaceFetch),
};

export const mockProcess: Target = {
  name: 'svc-mock',
  isAvailable: true,
  resolvesHostNames: RESOLVES_NO_NAMES.resolvesHostNames,
  acceptsRawRequests: false,
  async start(_world, { now, ...options }, file) {
    const svcMock = await startSvcMock(file, { now, ...options });
    const { control } = svcMock;
    let shown = now;
    return {
      baseUrl: svcMock.url,
      fetch: globalThis.fetch,
      clock: {
        now: () => shown,
        async advance(ms) {
          const next = new Date(shown.getTime() + ms);
          await control('POST', '/clock', { freeze: next.toISOString() });
          shown = next;
        },
      },
      settle: () => control('POST', '/settle'),
      ...(await createSurroundings((settings) => control('PATCH', '/settings', settings), svcMock.stop)),
    };
  },
};

/** How requests come to a mock in this process. */
type Reach = (mock: Mock, baseUrl: string) => Pick<ApiAddress, 'fetch'> & { readonly end: () => void };

const interceptFetch: Reach = (mock, baseUrl) => {
  const server = setupServer(...mock.handlers(baseUrl));
  // What the mock posts to receivers goes out by the same `fetch`.
  server.listen({ onUnhandledFrame: 'bypass' });
  return { fetch: (input, init) => globalThis.fetch(input, init), end: () => server.close() };
};

const replaceFetch: Reach = ({ fetch }) => ({ fetch, end: () => {} });

async function startInProcess(
  baseUrl: string,
  file: World,
  { now, rateLimit = 'off', trustedProxies = 0, workers = 'on' }: StartOptions,
  reach: Reach,
): Promise<RunningTarget> {
  const mock = createMock({
    world: file,
    now,
    baseUrl,
    rateLimit: rateLimit === 'on' ? 'spec' : 'off',
    trustedProxies,
    runsJobs: workers === 'on',
  });
  const { fetch, end } = reach(mock, baseUrl);
  return {
    baseUrl,
    fetch,
    clock: {
      now: () => mock.clock.now,
      // Work waits for `settle`, as it does on the server; `mock.clock.advance` would do each piece at its own time.
      advance: async (ms) => mock.clock.freeze(new Date(mock.clock.now.getTime() + ms)),
    },
    settle: () => mock.settle(),
    ...(await createSurroundings(
      async (settings) => mock.configure(settings),
      async () => {
        end();
        await mock.close();
      },
    )),
  };
}

/** CRM and customers' hosts, which are settings of the mock. */
async function createSurroundings(
  configure: (settings: Partial<MockSettings>) => Promise<unknown>,
  stop: () => Promise<void>,
): Promise<Pick<RunningTarget, 'crm' | 'openReceiver' | 'setHostAddress' | 'close'>> {
  const receivers = await startReceivers();
  // As with the server's simulators, of which a list is read and pushed within one `settle`.
  await configure({ blocklistFetchMs: 0, blocklistPushMs: 0 });
  let routed: Record<string, string> = {};
  return {
    crm: createCrmControl(configure),
    async openReceiver(host) {
      routed = { ...routed, [host]: receivers.urlOf(host) };
      const receiver = receivers.open(host);
      await configure({ receivers: routed });
      return receiver;
    },
    setHostAddress: RESOLVES_NO_NAMES.setHostAddress,
    async close() {
      await receivers.close();
      await stop();
    },
  };
}

function createCrmControl(configure: (settings: Partial<MockSettings>) => Promise<unknown>): CrmControl {
  const answer = async (crmFailures: MockSettings['crmFailures']) => {
    await configure({ crmFailures });
  };
  return {
    failWith: (httpStatus) => {
      const message = `The CRM answered ${httpStatus}`;
      return answer([{ status: 'error', error: { code: 'refused', message, httpStatus } }]);
    },
    refuseParts: () => {
      const message = 'The contact was written, its company was refused';
      return answer([{ status: 'warning', error: { code: 'company_refused', message, httpStatus: 400 } }]);
    },
    recover: () => answer([]),
  };
}
