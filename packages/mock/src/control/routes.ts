/**
 * The control endpoints below `/__svc`. Endpoints of a world exist twice: for the world of the key (or the default world), and
 * below `/worlds/{world}`.
 */
import { callRoutes } from './call-routes.ts';
import { dataRoutes } from './data-routes.ts';
import { CONTROL_PREFIX } from './prefix.ts';
import type { ControlRoute } from './route.ts';
import { worldRoutes } from './world-routes.ts';

export const controlRoutes: readonly ControlRoute[] = [...worldRoutes, ...callRoutes, ...dataRoutes];

/** Returns the full paths of a route. */
export function pathsOf({ isOfWorld, path }: ControlRoute): string[] {
  const own = CONTROL_PREFIX + path;
  return isOfWorld ? [own, `${CONTROL_PREFIX}/worlds/{world}${path}`] : [own];
}
