import type { Route } from '../route.ts';

export const relayRoutes: readonly Route[] = [];
