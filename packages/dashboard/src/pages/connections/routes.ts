import type { Route } from '../route.ts';

export const connectionRoutes: readonly Route[] = [
  {
    path: '/connections',
    scope: 'account',
    load: () => import('./connections-page.tsx'),
    nav: { group: 'Pipeline', label: 'Connections' },
  },
  { path: '/connections/:id', scope: 'account', load: () => import('./connection-page.tsx') },
];
