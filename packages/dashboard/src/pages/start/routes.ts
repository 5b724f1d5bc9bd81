import type { Route } from '../route.ts';

export const startRoutes: readonly Route[] = [
  { path: '/start', scope: 'installation', load: () => import('./start-page.tsx'), nav: { group: '', label: 'Start' } },
];
