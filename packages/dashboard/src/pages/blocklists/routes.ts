import type { Route } from '../route.ts';

export const blocklistRoutes: readonly Route[] = [];
