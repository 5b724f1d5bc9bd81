import type { Route } from '../route.ts';

export const destinationRoutes: readonly Route[] = [];
