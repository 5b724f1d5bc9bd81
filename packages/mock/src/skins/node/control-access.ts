/** Checks who may call the control endpoints. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@svc/domain/errors/errors';
import { findHostError, isLoopbackAddress, isLoopbackHost } from '@svc/domain/network/loopback';
import { CONTROL_HEADERS, CONTROL_PREFIX } from '../../control/prefix.ts';
import { toAnswer, toErrorReply } from '../../service/answers.ts';
import type { MockAnswer, MockRequest } from '../../service/call.ts';
import type { CallOrigin } from './http-server.ts';

/**
 * Refuses a control call. With a token, callers must send it. Without one, they must be on this machine and no page of another
 * site, not even one whose host name resolves to this machine.
 */
export function refuseControl(
  { headers, ip, method }: Pick<MockRequest, 'headers' | 'ip' | 'method'>,
  { host, origin }: Pick<CallOrigin, 'host' | 'origin'>,
  token: string | undefined,
): MockAnswer | null {
  if (token !== undefined)
    return isSame(headers['svc-control-token'] ?? '', token)
      ? null
      : refusal(method, new ApiError(401, 'The header Svc-Control-Token is missing or wrong.'));
  if (!isLoopbackAddress(ip))
    return refusal(
      method,
      new ApiError(
        403,
        `${CONTROL_PREFIX} is for this machine only. Start svc-mock with --control-token to control it from elsewhere.`,
      ),
    );
  if (!isLoopbackHost(host))
    return refusal(
      method,
      new ApiError(403, `${CONTROL_PREFIX} can only be called as localhost or by a loopback address.`),
    );
  if (origin !== null && !isLoopbackHost(origin.replace(/^https?:\/\//, ''))) {
    return refusal(
      method,
      new ApiError(
        403,
        `${CONTROL_PREFIX} is not for pages of other sites. Start svc-mock with --control-token to use it from ${origin}.`,
      ),
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
  { method }: Pick<MockRequest, 'method'>,
  { host, isLocalOnly }: CallOrigin,
  publicUrls: readonly string[],
): MockAnswer | null {
  const error = isLocalOnly
    ? findHostError(host || undefined, { publicUrls, setting: '--base-url (createMock: baseUrl)' })
    : null;
  return error === null ? null : refusal(method, error);
}

function refusal(method: string, error: ApiError): MockAnswer {
  return toAnswer(toErrorReply(error), { method, headers: CONTROL_HEADERS, successStatus: error.statusCode });
}

/** Compares digests in constant time, so that timing reveals nothing about the token. */
function isSame(sent: string, token: string): boolean {
  const [a, b] = [sent, token].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
