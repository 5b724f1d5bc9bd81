/** Checks who may call the control endpoints. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@svc/domain/errors/errors';
import { findHostError, isLoopbackAddress, isLoopbackHost } from '@svc/domain/network/loopback';
import { CONTROL_PREFIX } from '../../control/prefix.ts';
import type { MockRequest } from '../../service/call.ts';
import type { CallOrigin } from './http-server.ts';

/**
 * Refuses a control call. With a token, callers must send it. Without one, they must be on this machine and no page of another
 * site, not even one whose host name resolves to this machine.
 */
export function refuseControl(
  { headers, ip }: Pick<MockRequest, 'headers' | 'ip'>,
  { host, origin }: Pick<CallOrigin, 'host' | 'origin'>,
  token: string | undefined,
): ApiError | null {
  if (token !== undefined)
    return isSame(headers['svc-control-token'] ?? '', token)
      ? null
      : new ApiError(401, 'The header Svc-Control-Token is missing or wrong.');
  if (!isLoopbackAddress(ip))
    return new ApiError(
      403,
      `${CONTROL_PREFIX} is for this machine only. Start svc-mock with --control-token to control it from elsewhere.`,
    );
  if (!isLoopbackHost(host))
    return new ApiError(403, `${CONTROL_PREFIX} can only be called as localhost or by a loopback address.`);
  if (origin !== null && !isLoopbackHost(origin.replace(/^https?:\/\//, ''))) {
    return new ApiError(
      403,
      `${CONTROL_PREFIX} is not for pages of other sites. Start svc-mock with --control-token to use it from ${origin}.`,
    );
  }
  return null;
}

/**
 * Refuses a call by a foreign host name while the mock listens on this machine only: the name may be a web page's that resolves
 * to this machine (DNS rebinding).
 * @param publicUrls the addresses that answers show
 */
export function refuseForeignHost(
  { host, isLocalOnly }: Pick<CallOrigin, 'host' | 'isLocalOnly'>,
  publicUrls: readonly string[],
): ApiError | null {
  if (!isLocalOnly) return null;
  return findHostError(host || undefined, { publicUrls, setting: '--base-url (createMock: baseUrl)' });
}

/** Compares digests in constant time, so that timing reveals nothing about the token. */
function isSame(sent: string, token: string): boolean {
  const [a, b] = [sent, token].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
