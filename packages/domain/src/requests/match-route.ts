/** Finds the route of a request where no framework does. */

interface Route {
  readonly method: string;
  /** As in OpenAPI: `/api/v1/syncs/{id}`. */
  readonly path: string;
}

export interface RouteMatch<R extends Route> {
  readonly route: R;
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Returns a function that finds the first route for a method and a target (path and query). Letter case and trailing slashes
 * matter, HEAD uses the route of GET, a parameter is one non-empty segment, and a path that cannot be decoded has no route.
 */
export function createRouter<R extends Route>(
  routes: readonly R[],
): (method: string, target: string) => RouteMatch<R> | null {
  const compiled = routes.map((route) => {
    const pattern = route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    return { route, pattern: new RegExp(`^${pattern}$`) };
  });
  return (method, target) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const path = pathOf(target);
    for (const { route, pattern } of compiled) {
      const match = route.method === wanted ? pattern.exec(path) : null;
      if (match !== null) return decode(route, match.groups ?? {});
    }
    return null;
  };
}

function decode<R extends Route>(route: R, segments: Readonly<Record<string, string>>): RouteMatch<R> | null {
  try {
    const params = Object.entries(segments).map(([name, segment]) => [name, decodeURIComponent(segment)]);
    return { route, params: Object.fromEntries(params) };
  } catch {
    return null;
  }
}

/** Returns the path of a request target, without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
