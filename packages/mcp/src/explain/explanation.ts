import type { ConnectionStatus, Delivery, RequestReceipt, Source, StatusIssue, Sync } from '@svc/sdk';
import type { FailingSource } from './failing-sources.ts';

/**
 * - `written`: one attempt succeeded
 * - `warning`: the latest attempt wrote the event, and the CRM refused a part of it
 * - `failed`: the latest attempt failed
 */
export type EventOutcome = 'written' | 'warning' | 'failed';

/** What a next step does. The command line names a command for it, the MCP server a tool. */
export type NextAction =
  | { readonly kind: 'retry-sync'; readonly id: number }
  | { readonly kind: 'preview-retries'; readonly sourceId: number; readonly since: string }
  | { readonly kind: 'replay-delivery'; readonly id: number; readonly destinationId: number }
  | { readonly kind: 'list-syncs'; readonly filter: { readonly sourceId: number } | { readonly connectionId: number } }
  | { readonly kind: 'open-connection'; readonly connectionId: number }
  | { readonly kind: 'show-status' }
  | { readonly kind: 'watch-status' };

/** Something to do. */
export interface NextStep {
  readonly text: string;
  /** Null when only a person can do it. */
  readonly action: NextAction | null;
}

/** What the API knows about the event of a sync. Parts that could not be read are null or empty, and named in `gaps`. */
export interface Explanation {
  readonly sync: Sync;
  readonly outcome: EventOutcome;
  readonly request: RequestReceipt | null;
  readonly source: Source | null;
  readonly connection: ConnectionStatus | null;
  /** Blockers of the connection. */
  readonly blockers: readonly StatusIssue[];
  /** Set while the syncs of the source fail. */
  readonly failingSource: FailingSource | null;
  /** All attempts to write the event, oldest first, `sync` included. */
  readonly attempts: readonly Sync[];
  /** Syncs of other events of the same request, oldest first. */
  readonly otherSyncs: readonly Sync[];
  /** Deliveries of the request to destinations, oldest first. */
  readonly deliveries: readonly Delivery[];
  readonly nextSteps: readonly NextStep[];
  /** What could not be read, and why. */
  readonly gaps: readonly { readonly part: string; readonly reason: string }[];
}
