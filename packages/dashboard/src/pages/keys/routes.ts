import type { Route } from '../route.ts';

export const keyRoutes: readonly Route[] = [
  { path: '/keys', scope: 'account', load: () => import('./keys-page.tsx'), nav: { group: 'API', label: 'Keys' } },
];
