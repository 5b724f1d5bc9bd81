/**
 * A mock as a handler of MSW 3 or 2. The handler is an object of ours with the members that MSW calls on any request handler, so
 * that nothing of MSW is loaded: it stays an optional peer, and `handlers()` can be synchronous
 * (docs/decisions/0015-the-mock-builds-msw-handlers-without-msw.md).
 */
import type { RequestHandler } from 'msw';
import { isFailureOnPurpose } from './fetch.ts';

type RunArguments = Parameters<RequestHandler['run']>[0];
type RunResult = Awaited<ReturnType<RequestHandler['run']>>;

/** What MSW asks of a request handler. */
interface HandlerMembers
  extends Pick<
    RequestHandler,
    'kind' | 'info' | 'isUsed' | 'run' | 'test' | 'predicate' | 'parse' | 'log' | 'reset' | 'restore' | 'dispose'
  > {
  /** What the earlier releases of MSW 2 had in the place of `kind`. */
  readonly __kind: 'RequestHandler';
}

/** What the service answers where its address has no path of its own; anything else there may be somebody else's. */
const SERVICE_PATHS = /^\/(api\/v1(\/|$)|webhooks\/|health\/)/i;

/**
 * A handler for every request below an address that has a path; of one without, for the paths of the service.
 * @param answer the mock in the place of `fetch`
 */
export function createMswHandler(baseUrl: string, answer: (request: Request) => Promise<Response>): RequestHandler {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const isOurs = ({ url }: Request): boolean => {
    const { origin, pathname } = new URL(url);
    if (origin !== base.origin) return false;
    return prefix === '' ? SERVICE_PATHS.test(pathname) : pathname === prefix || pathname.startsWith(`${prefix}/`);
  };
  const members: HandlerMembers = {
    kind: 'request',
    __kind: 'RequestHandler',
    info: { header: `all ${base.origin}${prefix}/* (svc-mock)` },
    isUsed: false,
    async run({ request, requestId }: RunArguments): Promise<RunResult> {
      if (!isOurs(request)) return null;
      members.isUsed = true;
      // MSW reads the one request for its logs and events while the other is answered.
      const unread = request.clone();
      return { handler, request: unread, requestId, response: await respond(request, answer), parsedResult: {} };
    },
    test: ({ request }) => Promise.resolve(isOurs(request)),
    predicate: ({ request }) => isOurs(request),
    parse: () => Promise.resolve({}),
    log({ request, response }) {
      console.log(`[svc-mock] ${request.method} ${request.url} ${response.status}`);
    },
    reset() {},
    restore() {},
    dispose() {},
  };
  // The class has private members beside, which only its own methods use.
  const handler: RequestHandler = members as HandlerMembers & RequestHandler;
  return handler;
}

/** MSW's word for a connection that ends without an answer is a response of type `error`. */
async function respond(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
  try {
    return await answer(request);
  } catch (error) {
    if (request.signal.aborted || isFailureOnPurpose(error)) return Response.error();
    throw error;
  }
}
