import type { Route } from '../route.ts';

export const destinationRoutes: readonly Route[] = [
  {
    path: '/destinations',
    scope: 'account',
    load: () => import('./destinations-page.tsx'),
    nav: { group: 'Pipeline', label: 'Destinations' },
  },
  { path: '/destinations/:id', scope: 'account', load: () => import('./destination-page.tsx') },
];
