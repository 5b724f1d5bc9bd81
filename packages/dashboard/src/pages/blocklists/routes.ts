import type { Route } from '../route.ts';

export const blocklistRoutes: readonly Route[] = [
  {
    path: '/blocklists',
    scope: 'account',
    load: () => import('./blocklists-page.tsx'),
    nav: { group: 'Pipeline', label: 'Block lists' },
  },
];
