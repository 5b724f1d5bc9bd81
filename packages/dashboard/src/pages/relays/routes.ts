import type { Route } from '../route.ts';

export const relayRoutes: readonly Route[] = [
  {
    path: '/relays',
    scope: 'account',
    load: () => import('./relays-page.tsx'),
    nav: { group: 'Pipeline', label: 'Reply relays' },
  },
  { path: '/relays/:id', scope: 'account', load: () => import('./relay-page.tsx') },
];
