/** The contract's `ReplyRelay`. Templates and categories keep the order in which they were configured. */
import type { ReplyRelay } from '@svc/contract/types';
import { sortedUnique } from '../values/order.ts';

export interface ReplyRelayRow {
  readonly id: number;
  readonly connectionId: number;
  readonly description: string;
  readonly ccEmail: string;
  readonly delayMinutes: number;
  readonly bodyTemplates: readonly string[];
  /** Empty: every reply is relayed. */
  readonly categoryAllowlist: readonly { readonly id: string; readonly name: string }[];
  readonly sourceIds: readonly number[];
  readonly createdAt: Date;
}

export function toReplyRelay(row: ReplyRelayRow): ReplyRelay {
  return {
    id: row.id,
    connectionId: row.connectionId,
    description: row.description,
    ccEmail: row.ccEmail,
    delayMinutes: row.delayMinutes,
    bodyTemplates: [...row.bodyTemplates],
    categoryAllowlist: row.categoryAllowlist.map(({ id, name }) => ({ id, name })),
    sourceIds: sortedUnique(row.sourceIds),
    createdAt: row.createdAt.toISOString(),
  };
}
