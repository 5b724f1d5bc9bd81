import type { Route } from '../route.ts';

export const webhookRoutes: readonly Route[] = [
  {
    path: '/webhooks',
    scope: 'account',
    load: () => import('./webhooks-page.tsx'),
    nav: { group: 'API', label: 'Webhooks' },
  },
  { path: '/webhooks/:id', scope: 'account', load: () => import('./webhook-page.tsx') },
];
