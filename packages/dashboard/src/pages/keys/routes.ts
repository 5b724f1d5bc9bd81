import type { Route } from '../route.ts';

export const keyRoutes: readonly Route[] = [];
