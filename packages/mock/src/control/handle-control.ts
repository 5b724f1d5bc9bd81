/** Handles calls to `/__svc`. Errors have the API's format. */
import { ApiError, badRequest } from '@svc/domain/errors/errors';
import { toAnswer, toApiError, toErrorReply } from '../service/answers.ts';
import type { MockAnswer, MockRequest } from '../service/call.ts';
import type { Engine } from '../service/engine.ts';
import { createRouter, pathOf } from '@svc/domain/requests/match-route';
import type { World } from '../state/world.ts';
import { controlDocument } from './document.ts';
import { CONTROL_HEADERS, CONTROL_PREFIX } from './prefix.ts';
import { type ControlReply, type ControlRoute, nearest } from './route.ts';
import { controlRoutes, pathsOf } from './routes.ts';

export interface ControlOptions {
  /** @throws ApiError 400 for a receiver that is not allowed */
  readonly assertReceiver: (url: string) => void;
  /** Called with the world that the call acts on. */
  readonly onWorld?: (id: string) => void;
}

const BODY_BYTES_MAX = 1024 * 1024;

const matchRoute = createRouter<ControlRoute>(
  controlRoutes.flatMap((route) => pathsOf(route).map((path) => ({ ...route, path }))),
);

/** Answers a control call. The transport has already checked that the caller may make it. */
export async function handleControl(
  engine: Engine,
  request: MockRequest,
  options: ControlOptions,
): Promise<MockAnswer> {
  const { method } = request;
  const headers = CONTROL_HEADERS;
  try {
    return toAnswer(await run(engine, request, options), { method, headers, successStatus: 200 });
  } catch (error) {
    const reply = toErrorReply(toApiError(error, engine.deps.reportError));
    return toAnswer(reply, { method, headers, successStatus: 500 });
  }
}

async function run(
  engine: Engine,
  request: MockRequest,
  { assertReceiver, onWorld }: ControlOptions,
): Promise<ControlReply> {
  const { method, target } = request;
  if (method === 'GET' && pathOf(target) === `${CONTROL_PREFIX}/openapi.json`) return { json: controlDocument() };
  const match = matchRoute(method, target);
  if (match === null) throw noSuchEndpoint(method, pathOf(target));
  const { route, params } = match;
  const query = Object.fromEntries(new URLSearchParams(target.slice(pathOf(target).length)));
  if ('world' in query) {
    throw badRequest(`Name the world in the path, as in ${CONTROL_PREFIX}/worlds/ID/..., or by the header Svc-World.`);
  }
  const body = route.body === null ? undefined : readBody(request.body);
  const world = findWorld(engine, request, route, params['world']);
  if (route.isOfWorld) onWorld?.(world.id);
  return route.run({ engine, world, params, query, body, assertReceiver });
}

const PATH_LENGTH_MAX = 200;

function noSuchEndpoint(method: string, sentPath: string): ApiError {
  const known = controlRoutes.map((route) => `${route.method} ${CONTROL_PREFIX}${route.path}`).join(', ');
  const sent = sentPath.slice(0, PATH_LENGTH_MAX);
  const withoutNames = sent.replace(/(\/worlds\/)[^/]+/, '$1{world}').slice(CONTROL_PREFIX.length);
  const paths = controlRoutes.flatMap((route) => pathsOf(route).map((full) => full.slice(CONTROL_PREFIX.length)));
  const path = nearest(withoutNames, paths);
  const ofPath = controlRoutes.filter((route) => pathsOf(route).includes(`${CONTROL_PREFIX}${path}`));
  const methods = ofPath.map((route): string => route.method);
  const right = methods.includes(method) ? method : methods.join(' or ');
  const near = path === null ? '' : ` Did you mean ${right} ${CONTROL_PREFIX}${path}?`;
  return new ApiError(
    404,
    `There is no control endpoint ${method} ${sent}.${near} Endpoints: ${known}, GET ${CONTROL_PREFIX}/openapi.json`,
  );
}

function findWorld(engine: Engine, request: MockRequest, route: ControlRoute, id: string | undefined): World {
  if (id !== undefined) return engine.worlds.require(id);
  // So that a client with the key of a deleted world can still create the next one.
  return route.isOfWorld ? engine.worlds.namedBy(request) : engine.worlds.default;
}

function readBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  if (bytes.length > BODY_BYTES_MAX) throw new ApiError(413, `The body is larger than ${BODY_BYTES_MAX} bytes`);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw badRequest(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
