import type { Route } from '../route.ts';

export const overviewRoutes: readonly Route[] = [];
