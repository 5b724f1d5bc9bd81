/** Links to the admin app and the reference documentation, as answers and events show them. */

/** Returns the URL of a connection's page in the admin app. `dashboardUrl` may end in a slash. */
export function connectionDashboardUrl(dashboardUrl: string, connectionId: number): string {
  return `${withoutTrailingSlash(dashboardUrl)}/connections/${connectionId}`;
}

/**
 * Returns the URL that explains a blocker or warning code: an anchor on the documentation's page `status-codes`.
 * `docsUrl` may end in a slash; an anchor of its own is dropped.
 */
export function statusCodeDocUrl(docsUrl: string, code: string): string {
  return `${withoutTrailingSlash(docsUrl.split('#', 1).join(''))}/status-codes#${code}`;
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
