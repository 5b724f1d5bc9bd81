/** Runs steps on both sides until their answers differ. */
import type { WorldInput } from '@svc/domain/world';
import { type OperationId, operationById } from '@svc/contract/operations';
import { operationOf, type RawAnswer, sendRequest } from '../fuzz/send.ts';
import type { FuzzRequest } from '../fuzz/requests.ts';
import { NOW } from '../harness/world.ts';
import { compareAnswers, compareLists, type Exchange } from './compare.ts';
import { compareMails } from './compare-mails.ts';
import { comparePosts } from './compare-posts.ts';
import { type Side, type Sides, startSides } from '../harness/targets/mock-and-server.ts';
import { type CallStep, LISTS, type Reference, type Step, type Value } from './steps.ts';
import { createIdPairs, type IdPair, type IdPairs } from './id-pairs.ts';

export interface Difference {
  /** Index of the step that showed it. */
  readonly index: number;
  readonly step: Step;
  /** The request as sent to the server. */
  readonly request: string;
  readonly problems: readonly string[];
}

export interface Result {
  /** Number of requests sent to both sides and compared. */
  readonly requestCount: number;
  /** Number of answers by operation and status: `getSync 404`. */
  readonly answers: ReadonlyMap<string, number>;
  /** Number of posts to customers. */
  readonly postCount: number;
  /** Number of mails of reply relays. */
  readonly mailCount: number;
  /** The first difference, at which the run stopped. */
  readonly difference: Difference | null;
}

export interface RunOptions {
  /** Default: off. */
  readonly rateLimit?: 'on' | 'off';
}

/** Time after which an idle list may be topped up. */
const TOP_UP_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PAGES_MAX = 500;

export async function runSteps(
  world: WorldInput,
  steps: readonly Step[],
  { rateLimit = 'off' }: RunOptions = {},
): Promise<Result> {
  const sides = await startSides(world, { rateLimit });
  try {
    const runner = createRunner(world, sides);
    let difference: Difference | null = null;
    for (const [index, step] of steps.entries()) {
      const found = await runner.run(step);
      if (found === null) continue;
      difference = { index, step, ...found };
      break;
    }
    return {
      requestCount: runner.requestCount(),
      postCount: runner.postCount(),
      mailCount: runner.mailCount(),
      answers: runner.answers,
      difference,
    };
  } finally {
    await sides.close();
  }
}

type Found = Pick<Difference, 'request' | 'problems'> | null;

function createRunner(world: WorldInput, sides: Sides) {
  const { server, mock } = sides;
  const pairs = createIdPairs(world);
  const answers = new Map<string, number>();
  let requestCount = 0;
  let postCount = 0;
  let mailCount = 0;
  let passedMs = 0;
  let isFetchOpen = false;

  async function exchange(
    requests: Readonly<Record<Side, FuzzRequest>>,
    about: Pick<Exchange, 'operationId' | 'quoted' | 'hasCursor'>,
  ): Promise<{ found: Found; both: Readonly<Record<Side, RawAnswer>> }> {
    requestCount += 1;
    const [ofServer, ofMock] = await Promise.all([
      sendRequest(server.baseUrl, requests.server),
      sendRequest(mock.baseUrl, requests.mock),
    ]);
    const seen = `${about.operationId ?? 'other'} ${ofServer.status}`;
    answers.set(seen, (answers.get(seen) ?? 0) + 1);
    const { method } = requests.server;
    const context = { ...about, isFetchOpen, isTopUpDue: passedMs >= TOP_UP_MS };
    const problems = compareAnswers(ofServer, ofMock, pairs, context);
    if (about.operationId === 'resyncBlocklist' && ofServer.status === 200) isFetchOpen = true;
    const { body } = requests.server;
    const request = `${method} ${requests.server.target} ${JSON.stringify(requests.server.headers)} ${body?.toString() ?? ''}`;
    const both = { server: ofServer, mock: ofMock };
    return { found: problems.length === 0 ? null : { request: request.slice(0, 1_500), problems }, both };
  }

  async function call(step: CallStep) {
    const operation = operationById(step.operationId);
    const accountId = world.apiKeys.find(({ token }) => token === step.token)?.accountId;
    const reach = { pairs, accountId };
    const values = withParents(reach, step.params);
    const used: IdPair[] = [];
    const target = (side: Side) => {
      const params = values.map((value) => encodeParam(resolve(reach, value, side)));
      const path = operation.path.replaceAll(/\{\w+\}/g, () => params.shift() ?? '');
      const query = step.query.map(([name, value]) => `${name}=${encodeParam(resolve(reach, value, side))}`);
      return query.length === 0 ? path : `${path}?${query.join('&')}`;
    };
    for (const value of [...values, ...step.query.map(([, each]) => each)]) {
      used.push({ server: resolve(reach, value, 'server'), mock: resolve(reach, value, 'mock') });
    }
    const headers = { ...(step.token !== null && { Authorization: `Bearer ${step.token}` }), ...step.headers };
    const of = (side: Side): FuzzRequest => ({
      method: step.method,
      target: target(side),
      headers,
      ...(step.body !== null && { body: Buffer.from(step.body) }),
    });
    return exchange(
      { server: of('server'), mock: of('mock') },
      {
        operationId: step.operationId,
        quoted: used.filter((pair) => pair.server !== pair.mock && pair.server !== ''),
        hasCursor: step.query.some(([name]) => name === 'cursor'),
      },
    );
  }

  /** Reads all pages, each side with its own cursors, and then compares the whole lists. */
  async function walk({ call: first, limit }: { readonly call: CallStep; readonly limit: number }): Promise<Found> {
    const rows: Record<Side, unknown[]> = { server: [], mock: [] };
    let cursor: Reference | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const query: (readonly [string, Value])[] = [...first.query, ['limit', String(limit)]];
      const { found, both } = await call({ ...first, query: cursor === null ? query : [...query, ['cursor', cursor]] });
      if (found !== null || both.server.status !== 200) return found;
      const [page, other] = [pageOf(both.server), pageOf(both.mock)];
      for (const row of page.data) learn(row);
      rows.server.push(...page.data);
      rows.mock.push(...other.data);
      if (!page.hasMore || page.nextCursor === null || other.nextCursor === null) break;
      const at = pairs.all('cursor').findIndex((pair) => pair.server === page.nextCursor);
      cursor = { of: 'cursor', at, isOwn: false };
    }
    const problems = compareLists(rows.server, rows.mock, pairs, first.operationId);
    return problems.length === 0 ? null : { request: `a walk: ${JSON.stringify(first)} by ${limit}`, problems };
  }

  function learn(row: unknown): void {
    if (typeof row !== 'object' || row === null || !('id' in row)) return;
    if ('endpointId' in row) pairs.learnParent('webhookDelivery', String(row.id), String(row.endpointId));
    if ('destinationId' in row) pairs.learnParent('delivery', String(row.id), String(row.destinationId));
  }

  async function post(step: Extract<Step, { kind: 'post' }>): Promise<Found> {
    const source = world.sources[step.source % world.sources.length];
    const request = {
      method: 'POST',
      target: `/webhooks/${source?.path ?? 'none'}`,
      headers: step.headers,
      body: Buffer.from(step.text),
    };
    const about = { operationId: null, quoted: [], hasCursor: false };
    return (await exchange({ server: request, mock: request }, about)).found;
  }

  async function settle(): Promise<Found> {
    await sides.settle();
    isFetchOpen = false;
    const posts = sides.takePosts();
    postCount += posts.server.length;
    const mails = await sides.takeMails();
    mailCount += mails.server.length;
    const problems = [...comparePosts(posts, pairs), ...compareMails(mails, world.replyRelays)];
    return problems.length === 0 ? null : { request: 'pending work', problems };
  }

  async function pass(ms: number): Promise<Found> {
    passedMs += ms;
    await sides.advance(ms);
    return settle();
  }

  async function first(works: readonly (() => Promise<Found>)[]): Promise<Found> {
    for (const work of works) {
      const found = await work();
      if (found !== null) return found;
    }
    return null;
  }

  /** Reads everything that several keys see. */
  function observeAll(): Promise<Found> {
    const now = NOW.getTime() + passedMs;
    const range: (readonly [string, Value])[] = [
      ['from', new Date(now - 29 * DAY_MS).toISOString()],
      ['to', new Date(now + 2 * DAY_MS).toISOString()],
    ];
    const works: (() => Promise<Found>)[] = [];
    for (const token of ['osapi_demo_write', 'osapi_demo_other', 'osapi_demo_connection']) {
      const read = (operationId: OperationId, params: readonly Value[] = []): CallStep => {
        const hasRange = operationById(operationId).queryParams.some((name) => name === 'from');
        const query = hasRange ? range : [];
        return { kind: 'call', operationId, method: 'GET', token, params, query, headers: {}, body: null };
      };
      const isList = (id: OperationId) => LISTS.some((list) => list === id);
      const observe = (id: OperationId, params: readonly Value[] = []) =>
        works.push(
          isList(id)
            ? () => walk({ call: read(id, params), limit: 40 })
            : async () => (await call(read(id, params))).found,
        );
      for (const id of OBSERVED) observe(id);
      const accountId = world.apiKeys.find((key) => key.token === token)?.accountId ?? 0;
      for (const [at] of pairs.ofAccount('webhook', accountId).entries()) {
        if (token !== 'osapi_demo_connection') observe('listWebhookDeliveries', [{ of: 'webhook', at, isOwn: true }]);
      }
    }
    return first(works);
  }

  return {
    answers,
    requestCount: () => requestCount,
    postCount: () => postCount,
    mailCount: () => mailCount,
    async run(step: Step): Promise<Found> {
      switch (step.kind) {
        case 'fuzz': {
          const { method, target } = step.request;
          const operationId = (operationOf(method, target)?.id ?? null) as OperationId | null;
          const hasCursor = target.includes('cursor');
          const about = { operationId, quoted: [], hasCursor };
          return (await exchange({ server: step.request, mock: step.request }, about)).found;
        }
        case 'call':
          return (await call(step)).found;
        case 'walk':
          return walk(step);
        case 'post':
          return post(step);
        case 'pass':
          return pass(step.ms);
        case 'wait':
          passedMs += step.ms;
          await sides.advance(step.ms);
          return null;
        case 'settle':
          return settle();
        case 'observe':
          return observeAll();
      }
    },
  };
}

/** Events come before their deliveries, because their content helps to pair ids. */
const OBSERVED = [
  'listRequests',
  'listSyncs',
  'listDeliveries',
  'listEvents',
  'listBlocklists',
  'listWebhooks',
  'getAccountStatus',
  'getAccountMetrics',
  'getSyncMetrics',
  'getRequestMetrics',
] as const satisfies readonly OperationId[];

function resolve({ pairs, accountId }: Reach, value: Value, side: Side): string {
  if (typeof value === 'string') return value;
  const all = value.isOwn && accountId !== undefined ? pairs.ofAccount(value.of, accountId) : pairs.all(value.of);
  return all[value.at % Math.max(1, all.length)]?.[side] ?? 'none';
}

interface Reach {
  readonly pairs: IdPairs;
  readonly accountId: number | undefined;
}

/** Replaces the webhook or destination before a delivery by the delivery's own, so that most calls find it. */
function withParents(reach: Reach, params: readonly Value[]): readonly Value[] {
  const [parent, child] = params;
  if (parent === undefined || child === undefined || typeof parent === 'string' || typeof child === 'string')
    return params;
  if (!parent.isOwn) return params;
  const id = reach.pairs.parentOf(child.of, resolve(reach, child, 'server'));
  const at = reach.pairs.all(parent.of).findIndex(({ server }) => server === id);
  return at < 0 ? params : [{ of: parent.of, at, isOwn: false }, child];
}

/** Encodes a parameter; existing percent-encoding is kept. */
function encodeParam(text: string): string {
  return text.replaceAll(/[^\w.~:@!$'()*,;/?%-]/g, (each) => encodeURIComponent(each));
}

function pageOf({ text }: RawAnswer): { data: readonly unknown[]; hasMore: boolean; nextCursor: string | null } {
  return JSON.parse(text);
}
