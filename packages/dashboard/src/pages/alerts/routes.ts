import type { Route } from '../route.ts';

export const alertRoutes: readonly Route[] = [
  {
    path: '/alerts',
    scope: 'account',
    load: () => import('./alerts-page.tsx'),
    nav: { group: 'Pipeline', label: 'Alerts' },
  },
];
