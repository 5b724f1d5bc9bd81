import type { CrmError } from '@svc/crm';
import type { Logger } from 'pino';

/** Tells operators that a connection has just lost its token. Call it once, after the commit that deleted the token. */
export function logDisconnected(
  { log }: { log: Logger },
  { id, crm }: { id: number; crm: string },
  { code, httpStatus }: CrmError,
): void {
  log.warn(
    { connectionId: id, crm, code, httpStatus },
    'a CRM does not accept the token of a connection any more: the connection is disconnected, and its events fail until it is connected again; svc-server doctor prints the command',
  );
}
