/** All pages. Each area lists its own. */
import { alertRoutes } from '../pages/alerts/routes.ts';
import { blocklistRoutes } from '../pages/blocklists/routes.ts';
import { connectionRoutes } from '../pages/connections/routes.ts';
import { destinationRoutes } from '../pages/destinations/routes.ts';
import { installationRoutes } from '../pages/installation/routes.ts';
import { keyRoutes } from '../pages/keys/routes.ts';
import { logRoutes } from '../pages/logs/routes.ts';
import { meRoutes } from '../pages/me/routes.ts';
import { overviewRoutes } from '../pages/overview/routes.ts';
import { peopleRoutes } from '../pages/people/routes.ts';
import { relayRoutes } from '../pages/relays/routes.ts';
import { sourceRoutes } from '../pages/sources/routes.ts';
import { startRoutes } from '../pages/start/routes.ts';
import { webhookRoutes } from '../pages/webhooks/routes.ts';
import type { Route } from '../pages/route.ts';

/** In the order of the navigation. */
export const ROUTES: readonly Route[] = [
  ...startRoutes,
  ...overviewRoutes,
  ...connectionRoutes,
  ...sourceRoutes,
  ...destinationRoutes,
  ...relayRoutes,
  ...blocklistRoutes,
  ...alertRoutes,
  ...logRoutes,
  ...peopleRoutes,
  ...webhookRoutes,
  ...keyRoutes,
  ...installationRoutes,
  ...meRoutes,
];
