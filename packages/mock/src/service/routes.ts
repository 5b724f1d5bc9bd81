/** The routes of a world: the contract's operations and the URLs that sequencers post to. */
import { type Operation, operations } from '@svc/contract/operations';
import { createRouter } from '@svc/domain/requests/match-route';
import { distance } from 'fastest-levenshtein';
import type { RouteId } from '../state/traffic.ts';

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
