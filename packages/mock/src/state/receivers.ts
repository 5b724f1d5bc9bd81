import { badRequest } from '@svc/domain/errors/errors';
import { isLoopbackHost } from '@svc/domain/network/loopback';

/** @throws ApiError 400 for an invalid URL, or a receiver on another machine unless `allowsRemote` */
export function assertReceiverAllowed(url: string, allowsRemote: boolean): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badRequest(`A receiver must be an http or https URL, not ${url}.`);
  }
  if (allowsRemote || isLoopbackHost(new URL(url).host)) return;
  throw badRequest(
    `The receiver ${url} is not on this machine. To allow it: svc-mock --allow-remote-receivers, or createMock({ allowsRemoteReceivers: true }).`,
  );
}
