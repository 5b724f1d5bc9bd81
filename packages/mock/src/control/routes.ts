/**
 * The control endpoints, below `/__svc`: everything that a test in any language does to a mock. Those of a world exist twice,
 * for the world of the key (or the default one) and below `/worlds/{world}`.
 */
import { callRoutes } from './call-routes.ts';
import { dataRoutes } from './data-routes.ts';
import { CONTROL_PREFIX } from './prefix.ts';
import type { ControlRoute } from './route.ts';
import { worldRoutes } from './world-routes.ts';

export const controlRoutes: readonly ControlRoute[] = [...worldRoutes, ...callRoutes, ...dataRoutes];

/** Where a route is, whole paths. */
export function pathsOf({ isOfWorld, path }: ControlRoute): string[] {
  const own = CONTROL_PREFIX + path;
  return isOfWorld ? [own, `${CONTROL_PREFIX}/worlds/{world}${path}`] : [own];
}
