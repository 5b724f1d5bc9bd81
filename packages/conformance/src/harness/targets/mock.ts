/**
 * The mock as three targets: behind MSW and the runtime's `fetch`, as a replacement of `fetch`, and as the process `svc-mock`.
 * Requests to customers' hosts with a receiver are routed to it; all others end in the mock's outbox, which answers 200.
 */
import type { World } from '@svc/domain/world';
import { createMock, type Mock, type MockSettings } from '@svc/mock';
import { setupServer } from 'msw/node';
import { controlMock, MAIL_FROM } from './mails.ts';
import { startReceivers } from './receivers.ts';
import { startSvcMock } from './svc-mock-process.ts';
import type { CrmControl, ApiAddress, RunningTarget, StartOptions, Target } from './target.ts';

/** The mock does not resolve host names. */
const RESOLVES_NO_NAMES = {
  resolvesHostNames: false,
  setHostAddress: () => {
    throw new Error('This target does not resolve host names.');
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
  acceptsRawRequests: true,
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
      mail: controlMock({
        list: async () => (await control('GET', '/mails')).mails,
        async setFault(rule) {
          // Answered without a body.
          await fetch(`${svcMock.url}/__svc/faults`, { method: 'DELETE' });
          if (rule !== null) await control('POST', '/faults', rule);
        },
      }),
      ...(await createSurroundings((settings) => control('PATCH', '/settings', settings), svcMock.stop)),
    };
  },
};

/** Connects a mock in this process to a `fetch`. */
type Connect = (mock: Mock, baseUrl: string) => Pick<ApiAddress, 'fetch'> & { readonly end: () => void };

const interceptFetch: Connect = (mock, baseUrl) => {
  const server = setupServer(...mock.handlers(baseUrl));
  // The mock sends to receivers with the same `fetch`.
  server.listen({ onUnhandledFrame: 'bypass' });
  return { fetch: (input, init) => globalThis.fetch(input, init), end: () => server.close() };
};

const replaceFetch: Connect = ({ fetch }) => ({ fetch, end: () => {} });

async function startInProcess(
  baseUrl: string,
  file: World,
  { now, rateLimit = 'off', trustedProxies = 0, workers = 'on' }: StartOptions,
  connect: Connect,
): Promise<RunningTarget> {
  const mock = createMock({
    world: file,
    now,
    baseUrl,
    rateLimit: rateLimit === 'on' ? 'spec' : 'off',
    trustedProxies,
    runsJobs: workers === 'on',
  });
  const { fetch, end } = connect(mock, baseUrl);
  return {
    baseUrl,
    fetch,
    clock: {
      now: () => mock.clock.now,
      // Due work waits for `settle`, as on the server; `mock.clock.advance` would run it.
      advance: async (ms) => mock.clock.freeze(new Date(mock.clock.now.getTime() + ms)),
    },
    settle: () => mock.settle(),
    mail: controlMock({
      list: async () => mock.mails.all(),
      async setFault(rule) {
        mock.faults.clear();
        if (rule !== null) mock.faults.add(rule);
      },
    }),
    ...(await createSurroundings(
      async (settings) => mock.configure(settings),
      async () => {
        end();
        await mock.close();
      },
    )),
  };
}

/** Controls the CRM and the customers' hosts, which are settings of the mock. */
async function createSurroundings(
  configure: (settings: Partial<MockSettings>) => Promise<unknown>,
  stop: () => Promise<void>,
): Promise<Pick<RunningTarget, 'crm' | 'openReceiver' | 'setHostAddress' | 'close'>> {
  const receivers = await startReceivers();
  // With the server's simulators, too, a list is fetched and pushed within one `settle`.
  await configure({ blocklistFetchMs: 0, blocklistPushMs: 0, mailFrom: MAIL_FROM });
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
