import type { Route } from '../route.ts';

export const installationRoutes: readonly Route[] = [
  {
    path: '/all-accounts',
    scope: 'installation',
    load: () => import('./accounts-page.tsx'),
    nav: { group: 'Installation', label: 'Accounts' },
  },
  {
    path: '/health',
    scope: 'installation',
    load: () => import('./health-page.tsx'),
    nav: { group: 'Installation', label: 'Health' },
  },
  {
    path: '/erasure',
    scope: 'installation',
    load: () => import('./erasure-page.tsx'),
    nav: { group: 'Installation', label: 'Erasure' },
  },
  {
    path: '/users',
    scope: 'installation',
    load: () => import('./users-page.tsx'),
    nav: { group: 'Installation', label: 'Users' },
  },
  {
    path: '/audit',
    scope: 'installation',
    load: () => import('./audit-page.tsx'),
    nav: { group: 'Installation', label: 'Audit log' },
  },
];
