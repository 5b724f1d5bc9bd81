import { parseBearer } from '@svc/domain/requests/access';
import type { Branding } from '@svc/domain/pages/branding';
import type { MockRequest } from './call.ts';

/** The key that was sent, whether anybody has it or not; null when there is none that could be a key of this mock. */
export function bearerOf({ headers }: MockRequest, { keyPrefix }: Branding): string | null {
  const header = headers['authorization'];
  if (header === undefined) return null;
  try {
    return parseBearer(header, keyPrefix);
  } catch {
    return null;
  }
}
