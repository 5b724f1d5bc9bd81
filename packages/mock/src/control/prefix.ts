/** Where the control endpoints are, and what all their answers carry. By itself: whoever asks only that loads none of them. */
import { pathOf } from '../service/routes.ts';

export const CONTROL_PREFIX = '/__svc';

export const CONTROL_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export function isControlPath(target: string): boolean {
  const path = pathOf(target);
  return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`);
}
