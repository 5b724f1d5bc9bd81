import type { Route } from '../route.ts';

export const connectionRoutes: readonly Route[] = [];
