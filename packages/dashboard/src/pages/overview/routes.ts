import type { Route } from '../route.ts';

export const overviewRoutes: readonly Route[] = [
  {
    path: '/overview',
    scope: 'account',
    load: () => import('./overview-page.tsx'),
    nav: { group: '', label: 'Overview' },
  },
];
