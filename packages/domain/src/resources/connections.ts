/** The contract's `Connection`. */
import type { Connection } from '@svc/contract/types';
import { type ConnectionFacts, connectionStatus } from '../account/account-status.ts';

export interface ConnectionRow {
  readonly id: number;
  readonly crm: string;
  readonly organizationId: string;
  readonly organizationDomain: string;
  readonly capabilities: ConnectionFacts['capabilities'];
  readonly hasCrmToken: boolean;
  readonly recordedError: string | null;
  readonly createdAt: Date;
}

export function toConnection(row: ConnectionRow): Connection {
  const { sync, destinations, blocklists } = row.capabilities;
  return {
    id: row.id,
    crm: row.crm,
    status: connectionStatus(row),
    organizationId: row.organizationId,
    organizationDomain: row.organizationDomain,
    capabilities: { sync, destinations, blocklists },
    createdAt: row.createdAt.toISOString(),
  };
}
