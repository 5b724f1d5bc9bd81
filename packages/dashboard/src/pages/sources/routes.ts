import type { Route } from '../route.ts';

export const sourceRoutes: readonly Route[] = [
  {
    path: '/sources',
    scope: 'account',
    load: () => import('./sources-page.tsx'),
    nav: { group: 'Pipeline', label: 'Sources' },
  },
  { path: '/sources/:id', scope: 'account', load: () => import('./source-page.tsx') },
  { path: '/sources/:id/mapping', scope: 'account', load: () => import('./mapping/mapping-page.tsx') },
  { path: '/sources/:id/policy', scope: 'account', load: () => import('./policy/policy-page.tsx') },
  { path: '/sources/:id/secrets', scope: 'account', load: () => import('./secrets-page.tsx') },
  { path: '/sources/:id/held', scope: 'account', load: () => import('./held-events-page.tsx') },
];
