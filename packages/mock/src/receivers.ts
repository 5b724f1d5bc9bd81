/** Which receivers a mock may call: by default only those on this machine. */
import { badRequest } from '@svc/domain/errors';

/** @throws ApiError 400 for a receiver elsewhere, unless those are allowed */
export function assertReceiverAllowed(url: string, allowsRemote: boolean): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badRequest(`A receiver is an http or https URL; ${url} is not.`);
  }
  if (allowsRemote || isLoopbackHost(new URL(url).hostname)) return;
  throw badRequest(
    `The receiver ${url} is not on this machine. If posts may really go there: svc-mock --allow-remote-receivers, createMock({ allowsRemoteReceivers: true }).`,
  );
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
