/** The path and common headers of the control endpoints. A file of its own, so that using it does not load the endpoints. */
import { pathOf } from '@svc/domain/requests/match-route';

export const CONTROL_PREFIX = '/__svc';

export const CONTROL_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function isControlPath(target: string): boolean {
  const path = pathOf(target);
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`);
}
