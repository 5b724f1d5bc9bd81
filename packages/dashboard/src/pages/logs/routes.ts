import type { Route } from '../route.ts';

export const logRoutes: readonly Route[] = [];
