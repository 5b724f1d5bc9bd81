import type { Route } from '../route.ts';

const logPage = (path: string, label: string, load: Route['load']): Route => ({
  path,
  scope: 'account',
  load,
  nav: { group: 'Logs', label },
});

export const logRoutes: readonly Route[] = [
  logPage('/requests', 'Requests', () => import('./requests-page.tsx')),
  { path: '/requests/read-again', scope: 'account', load: () => import('./read-again-page.tsx') },
  { path: '/requests/:id', scope: 'account', load: () => import('./request-page.tsx') },
  logPage('/syncs', 'Syncs', () => import('./syncs-page.tsx')),
  logPage('/deliveries', 'Deliveries', () => import('./deliveries-page.tsx')),
  logPage('/webhook-deliveries', 'Webhook deliveries', () => import('./webhook-deliveries-page.tsx')),
  logPage('/events', 'Events', () => import('./events-page.tsx')),
];
