/**
 * A mock as a handler of MSW 3 or 2. The handler is a plain object with the members that MSW calls on request handlers, so MSW is
 * not loaded: it stays an optional peer dependency, and `handlers()` can be synchronous
 * (docs/decisions/0015-the-mock-builds-msw-handlers-without-msw.md).
 */
import type { RequestHandler } from 'msw';
import { isFaultError } from './fetch.ts';

type RunArguments = Parameters<RequestHandler['run']>[0];
type RunResult = Awaited<ReturnType<RequestHandler['run']>>;

/** The members that MSW calls. */
interface HandlerMembers
  extends Pick<
    RequestHandler,
    'kind' | 'info' | 'isUsed' | 'run' | 'test' | 'predicate' | 'parse' | 'log' | 'reset' | 'restore' | 'dispose'
  > {
  /** Replaced by `kind` in later releases of MSW 2. */
  readonly __kind: 'RequestHandler';
}

/** Paths that are handled when the base URL has no path; other paths may belong to another site. */
const SERVICE_PATHS = /^\/(api\/v1(\/|$)|webhooks\/|health\/)/i;

/**
 * Creates a handler for every request below `baseUrl`, or, when that has no path, for the paths of the service.
 * @param answer the mock's `fetch`
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
      // MSW reads the request for its logs and events while the clone is answered.
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
  // The class also has private members, which only its own methods use.
  const handler: RequestHandler = members as HandlerMembers & RequestHandler;
  return handler;
}

/** Returns the answer; for a fault a response of type `error`, which MSW treats as a network error. */
async function respond(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
  try {
    return await answer(request);
  } catch (error) {
    if (request.signal.aborted || isFaultError(error)) return Response.error();
    throw error;
  }
}
