import type { Route } from '../route.ts';

export const peopleRoutes: readonly Route[] = [
  {
    path: '/people',
    scope: 'account',
    load: () => import('./people-page.tsx'),
    nav: { group: 'Logs', label: 'People' },
  },
];
