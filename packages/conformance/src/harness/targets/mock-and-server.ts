/**
 * Starts the reference server and the mock with the same world and clock, each on its own port. Work runs only in `settle`. The
 * mock's settings (CRM failures, duration of fetches) are those of the server's simulators.
 */
import type { MaterializedWorld, WorldInput } from '@svc/domain/world';
import { materializeWorld, parseWorld } from '@svc/domain/world';
import { createMock, type Mock } from '@svc/mock';
import { fromMock, MAIL_FROM, type ReceivedMail } from './mails.ts';
import { type Receiver, startReceivers } from './receivers.ts';
import { serverOnPglite, SIMULATED_CRMS } from './server.ts';
import type { RunningTarget } from './target.ts';
import { NOW } from '../world.ts';
import { ANSWERING_HOSTS, FAILING_HOSTS, FAILING_HOST_ANSWERS } from './hosts.ts';

export type Side = 'server' | 'mock';

export interface Sides {
  readonly server: Pick<RunningTarget, 'baseUrl'>;
  readonly mock: Pick<RunningTarget, 'baseUrl'>;
  /** Advances both clocks. Due work waits for `settle`. */
  advance(ms: number): Promise<void>;
  settle(): Promise<void>;
  /** Returns the requests to customers since the last call. */
  takePosts(): Readonly<Record<Side, readonly OutgoingPost[]>>;
  /** Returns the mails of reply relays that arrived since the last call. */
  takeMails(): Promise<Readonly<Record<Side, readonly ReceivedMail[]>>>;
  close(): Promise<void>;
}

export interface OutgoingPost {
  /** Includes a port that is not the scheme's default. */
  readonly host: string;
  /** Includes the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param options.rateLimit `on` also trusts one proxy's `X-Forwarded-For`, so that calls can have different addresses */
export async function startSides(
  world: WorldInput,
  { rateLimit }: { readonly rateLimit: 'on' | 'off' },
): Promise<Sides> {
  const trustedProxies = rateLimit === 'on' ? 1 : 0;
  const file = parseWorld(world);
  const rows = materializeWorld(file, NOW);
  const server = await serverOnPglite.start(rows, { now: NOW, rateLimit, trustedProxies, workers: 'off' }, file);
  const receivers = await startReceivers();
  const opened = new Map<string, Receiver>();
  for (const host of ANSWERING_HOSTS) opened.set(host, await server.openReceiver(host));
  for (const [host, failure] of Object.entries(FAILING_HOST_ANSWERS)) {
    const receiver = await server.openReceiver(host);
    receiver.answer(failure);
    opened.set(host, receiver);
    receivers.open(host).answer(failure);
  }
  // Both use the server's URL, so that links in their answers are equal.
  const mock = createMock({
    world,
    now: NOW,
    baseUrl: server.baseUrl,
    rateLimit: rateLimit === 'on' ? 'spec' : 'off',
    trustedProxies,
    runsJobs: false,
    receivers: Object.fromEntries(FAILING_HOSTS.map((host) => [host, receivers.urlOf(host)])),
  });
  mock.configure({ blocklistFetchMs: 0, blocklistPushMs: 0, mailFrom: MAIL_FROM, crmFailures: unsupportedCrms(rows) });
  const { url } = await mock.listen();
  const seen = new Map<string, number>();
  let mailsSeen = 0;
  return {
    server,
    mock: { baseUrl: url },
    async advance(ms) {
      await server.clock.advance(ms);
      setAhead(mock, ms);
    },
    async settle() {
      await Promise.all([server.settle(), mock.settle()]);
    },
    takePosts() {
      const ofServer = [...opened].flatMap(([host, { posts }]) => {
        const start = seen.get(host) ?? 0;
        seen.set(host, posts.length);
        return posts
          .slice(start)
          .map(({ path, headers, body }) => ({ host, path, headers, body: body.toString('utf8') }));
      });
      const ofMock = mock.outbox.all().map(({ url, headers, body }): OutgoingPost => {
        const { host, pathname, search } = new URL(url);
        const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        return { host, path: `${pathname}${search}`, headers: Object.fromEntries(lower), body };
      });
      mock.outbox.clear();
      return { server: ofServer, mock: ofMock };
    },
    async takeMails() {
      const ofServer = (await server.mail.received()).slice(mailsSeen);
      mailsSeen += ofServer.length;
      const ofMock = mock.mails.find({ status: 'sent' }).flatMap(({ mail }) => (mail === null ? [] : fromMock(mail)));
      mock.mails.clear();
      return { server: ofServer, mock: ofMock };
    },
    async close() {
      await mock.close();
      await server.close();
      await receivers.close();
    },
  };
}

/** Advances the mock's clock without running due work. */
function setAhead({ clock }: Mock, ms: number): void {
  clock.freeze(new Date(clock.now.getTime() + ms));
}

/** Lets the mock fail for every CRM that the server does not write to. */
function unsupportedCrms({ connections }: MaterializedWorld) {
  return connections
    .filter(({ crm }) => !SIMULATED_CRMS.includes(crm))
    .map(({ id, crm }) => ({
      connectionId: id,
      status: 'error' as const,
      error: { code: 'crm_not_supported', message: `This release cannot write to ${crm}.`, httpStatus: null },
    }));
}
