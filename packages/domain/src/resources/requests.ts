/** The contract's `RequestReceipt`. `path` is the ingress code, not a URL. */
import type { RequestReceipt } from '@svc/contract/types';

export interface RequestRow {
  readonly id: number;
  /** Null, like `connectionId`, when the source was deleted. */
  readonly sourceId: number | null;
  readonly connectionId: number | null;
  readonly path: string;
  readonly createdAt: Date;
}

export function toRequestReceipt(row: RequestRow): RequestReceipt {
  return {
    id: row.id,
    sourceId: row.sourceId,
    connectionId: row.connectionId,
    path: row.path,
    createdAt: row.createdAt.toISOString(),
  };
}
