import type { Route } from '../route.ts';

export const installationRoutes: readonly Route[] = [];
