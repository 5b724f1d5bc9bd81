import type { Route } from '../route.ts';

export const meRoutes: readonly Route[] = [{ path: '/me', scope: 'installation', load: () => import('./me-page.tsx') }];
