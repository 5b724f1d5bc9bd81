/**
 * Notices a proxy that nobody has configured. Its clients all count for its own address in the limit per IP, so a single one of
 * them can use up the limit of all.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { type Database, UNTRUSTED_PROXY_LOCK } from '../store/db.ts';

export const UNTRUSTED_PROXY = {
  message:
    'requests arrive with X-Forwarded-For or Forwarded headers that are not trusted: all clients of a proxy in front count as one for the limit per IP',
  fix: 'Have the proxy send X-Forwarded-For, and set SVC_TRUST_PROXY to the number of proxies in front (1 for a single one) or to their addresses. Without a proxy in front, a client made the headers up, and nothing need be done.',
};

export interface ProxyWatch {
  /** Whether such headers arrived since the start. */
  hasUntrusted(): boolean;
  /** Remembers that such headers arrived; logs it the first time. */
  report(): void;
}

export function createProxyWatch({ db, log }: { db: Database; log: Logger }): ProxyWatch {
  let isReported = false;
  return {
    hasUntrusted: () => isReported,
    report() {
      if (isReported) return;
      isReported = true;
      log.warn(`${UNTRUSTED_PROXY.message}. ${UNTRUSTED_PROXY.fix}`);
      // For a doctor in a process of its own.
      db.announce(UNTRUSTED_PROXY_LOCK).catch((error: unknown) => {
        log.warn({ err: error }, 'the doctor could not be told of untrusted forwarding headers');
      });
    },
  };
}

/** Reports the first request whose client's address is in a header that is not read. */
export function watchForProxies(watch: ProxyWatch): RequestHandler {
  return (request, _response, next) => {
    const { app, headers, socket } = request;
    const isTrusted: (address: string | undefined, index: number) => boolean = app.get('trust proxy fn');
    if (!watch.hasUntrusted() && hidesClient(headers, () => isTrusted(socket.remoteAddress, 0))) watch.report();
    next();
  };
}

function hidesClient(headers: IncomingHttpHeaders, isSenderTrusted: () => boolean): boolean {
  // `Forwarded` is read from nobody.
  if (headers['x-forwarded-for'] === undefined) return headers['forwarded'] !== undefined;
  return !isSenderTrusted();
}
