/** Which parts of the service a process runs. Processes with any roles share one database. */

/** `api`: API, OAuth and documentation pages. `inbound`: the URLs that sequencers post to. `worker`: jobs and maintenance. */
export type Role = 'api' | 'inbound' | 'worker';

/** In the order in which they are shown. */
export const ROLES: readonly Role[] = ['api', 'inbound', 'worker'];

export const ROLES_RULE = `must be ${ROLES.join(', ')}, or several of them with commas`;

/** Returns null when the text names anything that is not a role. */
export function parseRoles(text: string): ReadonlySet<Role> | null {
  const names = text.split(',').map((name) => name.trim());
  const roles = ROLES.filter((role) => names.includes(role));
  return names.every((name) => ROLES.some((role) => role === name)) ? new Set(roles) : null;
}

/** Returns, for example, `api, worker`; null for all roles. */
export function describeRoles(roles: ReadonlySet<Role>): string | null {
  return hasAllRoles(roles) ? null : ROLES.filter((role) => roles.has(role)).join(', ');
}

export function hasAllRoles(roles: ReadonlySet<Role>): boolean {
  return ROLES.every((role) => roles.has(role));
}

/** Returns whether requests of clients come to such a process; a process with jobs only has no public port. */
export function isPublic(roles: ReadonlySet<Role>): boolean {
  return roles.has('api') || roles.has('inbound');
}
