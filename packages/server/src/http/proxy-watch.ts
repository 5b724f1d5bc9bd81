/**
 * Detects a proxy that is not configured. All of its clients share one limit per IP, so one of them can use it up for
 * all.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ProxyWatch } from '@svc/engine/context';
import { UNTRUSTED_PROXY } from '@svc/operations/doctor/urls';
import { type Database, UNTRUSTED_PROXY_LOCK } from '@svc/engine/store/database/db';

export function createProxyWatch({ db, log }: { db: Database; log: Logger }): ProxyWatch {
  let isReported = false;
  return {
    hasUntrusted: () => isReported,
    report() {
      if (isReported) return;
      isReported = true;
      log.warn(`${UNTRUSTED_PROXY.message}. ${UNTRUSTED_PROXY.fix}`);
      // Lets a doctor in another process know.
      db.announce(UNTRUSTED_PROXY_LOCK).catch((error: unknown) => {
        log.warn({ err: error }, 'untrusted forwarding headers could not be announced to the doctor');
      });
    },
  };
}

/** Reports the first request with a client address in an untrusted header. */
export function watchForProxies(watch: ProxyWatch): RequestHandler {
  return (request, _response, next) => {
    const { app, headers, socket } = request;
    const isTrusted: (address: string | undefined, index: number) => boolean = app.get('trust proxy fn');
    if (!watch.hasUntrusted() && hidesClient(headers, () => isTrusted(socket.remoteAddress, 0))) watch.report();
    next();
  };
}

function hidesClient(headers: IncomingHttpHeaders, isSenderTrusted: () => boolean): boolean {
  // `Forwarded` is not supported.
  if (headers['x-forwarded-for'] === undefined) return headers['forwarded'] !== undefined;
  return !isSenderTrusted();
}
