import { operations } from '@svc/contract/operations';
import { distance } from 'fastest-levenshtein';

/** More than any route has. */
const PATH_LENGTH_MAX = 200;

/** Returns the operation whose method and path look most like these: `GET /api/v1/syncs (listSyncs)`. */
export function nearestRoute(method: string, path: string): string {
  const sent = `${method} ${path.slice(0, PATH_LENGTH_MAX).replaceAll(ID_SEGMENT, '/*')}`;
  const distances = operations.map((operation) =>
    distance(sent, `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '*')}`),
  );
  const nearest = operations[distances.indexOf(Math.min(...distances))] ?? operations[0];
  return `${nearest.method} ${nearest.path} (${nearest.id})`;
}

/** A number, or a prefixed id such as `oswhk_1`. */
const ID_SEGMENT = /\/(\d+|[^/]*_[^/]*)(?=\/|$)/g;
