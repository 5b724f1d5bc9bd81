import type { RelayRoute } from '@svc/domain/relays/relay-routes';

/** Returns the routes of a relay as lines: `crm-owner`, `policy-owner`, and `campaign = address`. */
export function formatRoutes(routes: readonly RelayRoute[] | null): string {
  return (routes ?? [])
    .flatMap((route) =>
      typeof route === 'string' ? [route] : route.campaigns.map(({ campaign, to }) => `${campaign} = ${to}`),
    )
    .join('\n');
}

/** Reads such lines; neighbouring lines of campaigns are one route. The server checks them. Null: there are none. */
export function parseRoutes(text: string): RelayRoute[] | null {
  const routes: RelayRoute[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    if (line === 'crm-owner' || line === 'policy-owner') {
      routes.push(line);
      continue;
    }
    // The name of a campaign may have the sign, too.
    const at = line.lastIndexOf('=');
    const entry = { campaign: line.slice(0, Math.max(0, at)).trim(), to: line.slice(at + 1).trim() };
    const last = routes.at(-1);
    if (typeof last === 'object') last.campaigns.push(entry);
    else routes.push({ campaigns: [entry] });
  }
  return routes.length === 0 ? null : routes;
}
