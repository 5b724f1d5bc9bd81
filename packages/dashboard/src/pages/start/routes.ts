import type { Route } from '../route.ts';

export const startRoutes: readonly Route[] = [];
