/** Addresses in the admin app and the reference documentation that answers and events point to. */

/** The page of one connection in the admin app. `dashboardUrl` may end in a slash or not. */
export function connectionDashboardUrl(dashboardUrl: string, connectionId: number): string {
  return `${withoutTrailingSlash(dashboardUrl)}/connections/${connectionId}`;
}

/**
 * The place in the documentation that explains a blocker or warning code: the page `status-codes` below it, which has an
 * anchor per code. `docsUrl` may end in a slash or carry an anchor of its own.
 */
export function statusCodeDocUrl(docsUrl: string, code: string): string {
  return `${withoutTrailingSlash(docsUrl.split('#', 1).join(''))}/status-codes#${code}`;
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
