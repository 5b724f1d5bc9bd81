/** A world file at an instant, without the work that hardly anybody asks for. */
import { resolveEmbeddedInstants } from '@svc/domain/world/embedded-instants';
import { materializeWorld } from '@svc/domain/world/materialize';
import type { MaterializedWorld, World as WorldFile } from '@svc/domain/world';

type RequestRow = MaterializedWorld['requests'][number];

/**
 * The same world as `materializeWorld` makes. The bodies of its requests are most of it and are seldom read, so the instants in each
 * are resolved when it is: a mock starts, and a world begins at another time, in half as long.
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
