/** The routes of a world: the contract's operations and the URLs that sequencers post to. */
import { type Operation, operations } from '@svc/contract/operations';
import { distance } from 'fastest-levenshtein';
import type { RouteId } from '../state/traffic.ts';

interface Route {
  readonly method: string;
  /** As in OpenAPI: `/api/v1/syncs/{id}`. */
  readonly path: string;
}

export interface RouteMatch<R extends Route> {
  readonly route: R;
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns a function that finds the first route for a method and a target (path and query). Letter case and trailing slashes
 * matter, HEAD uses the route of GET, a parameter is one non-empty segment, and a path that cannot be decoded has no route.
 */
export function createRouter<R extends Route>(
  routes: readonly R[],
): (method: string, target: string) => RouteMatch<R> | null {
  const compiled = routes.map((route) => {
    const pattern = route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    return { route, pattern: new RegExp(`^${pattern}$`) };
  });
  return (method, target) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const path = pathOf(target);
    for (const { route, pattern } of compiled) {
      const match = route.method === wanted ? pattern.exec(path) : null;
      if (match !== null) return decode(route, match.groups ?? {});
    }
    return null;
  };
}

function decode<R extends Route>(route: R, segments: Readonly<Record<string, string>>): RouteMatch<R> | null {
  try {
    const params = Object.entries(segments).map(([name, segment]) => [name, decodeURIComponent(segment)]);
    return { route, params: Object.fromEntries(params) };
  } catch {
    return null;
  }
}

/** Returns the path of a request target, without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

export interface MockRoute extends Operation {
  readonly id: RouteId;
}

/**
 * The current and the legacy form of a source's URL (`domain/src/syncs/inbound-post.ts`), without key and rate limit.
 */
const inbound = ['/webhooks/{code}', '/webhooks/{hubId}/{ownerId}'].map(
  (path): MockRoute => ({
    id: 'inbound',
    method: 'POST',
    path,
    access: 'public',
    scope: null,
    rateBucket: 'none',
    successStatus: 200,
    pathParams: [],
    queryParams: [],
    hasBody: false,
  }),
);

export const matchRoute = createRouter<MockRoute>([...operations, ...inbound]);

/** Longer than the path of any route. */
const PATH_LENGTH_MAX = 200;
/** A number, or a prefixed id such as `oswhk_1`. */
const ID_SEGMENT = /\/(\d+|[^/]*_[^/]*)(?=\/|$)/g;

/** Returns the operation whose method and path look most like these: `GET /api/v1/syncs (listSyncs)`. */
export function nearestRoute(method: string, path: string): string {
  const sent = `${method} ${path.slice(0, PATH_LENGTH_MAX).replaceAll(ID_SEGMENT, '/*')}`;
  const distances = operations.map((operation) =>
    distance(sent, `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '*')}`),
  );
  const nearest = operations[distances.indexOf(Math.min(...distances))] ?? operations[0];
  return `${nearest.method} ${nearest.path} (${nearest.id})`;
}
