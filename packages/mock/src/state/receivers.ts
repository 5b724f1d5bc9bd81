/** Which receivers a mock may call: by default only those on this machine. */
import { badRequest } from '@svc/domain/errors/errors';
import { isLoopbackHost } from '@svc/domain/network/loopback';

/** @throws ApiError 400 for a receiver elsewhere, unless those are allowed */
export function assertReceiverAllowed(url: string, allowsRemote: boolean): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badRequest(`A receiver is an http or https URL; ${url} is not.`);
  }
  if (allowsRemote || isLoopbackHost(new URL(url).host)) return;
  throw badRequest(
    `The receiver ${url} is not on this machine. If posts may really go there: svc-mock --allow-remote-receivers, createMock({ allowsRemoteReceivers: true }).`,
  );
}
