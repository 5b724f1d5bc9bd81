/** Every route of a world: the contract's operations, and the inbound host that sequencers post to. */
import { type Operation, type OperationId, operations } from '@svc/contract/operations';
import { createRouter, type Router } from './router.ts';

export type RouteId = OperationId | 'inbound';

export interface MockRoute extends Operation {
  readonly id: RouteId;
}

/** Specification, "Vocabulary", rule 3: the present form of a source's URL, and the legacy one. Without key and limit. */
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

export const matchRoute: Router<MockRoute> = createRouter<MockRoute>([...operations, ...inbound]);
