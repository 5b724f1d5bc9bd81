import { resolveEmbeddedInstants } from '@svc/domain/world/embedded-instants';
import { materializeWorld } from '@svc/domain/world/materialize';
import type { MaterializedWorld, World as WorldFile } from '@svc/domain/world';

type RequestRow = MaterializedWorld['requests'][number];

/**
 * Returns the same world as `materializeWorld`, but resolves the instants in a request's body only when it is read. Bodies are
 * most of a world and seldom read, so this halves the start time.
 */
export function materialize(file: WorldFile, now: Date): MaterializedWorld {
  const withoutBodies = file.requests.map((row) => ({ ...row, body: null }));
  const world = materializeWorld({ ...file, requests: withoutBodies }, now);
  const requests = world.requests.map((row, index) => withBody(row, file.requests[index]?.body ?? null, now));
  return { ...world, requests };
}

function withBody(row: RequestRow, body: RequestRow['body'], now: Date): RequestRow {
  if (body === null) return row;
  let resolved: RequestRow['body'] = null;
  return {
    ...row,
    get body() {
      resolved ??= resolveEmbeddedInstants(body, now);
      return resolved;
    },
  };
}
