import type { ConnectionStatus, Delivery, RequestReceipt, Source, StatusIssue, Sync } from '@svc/sdk';
import {
  BLOCKER_FIELDS,
  CONNECTION_STATUS_FIELDS,
  DESTINATION_DELIVERY_FIELDS,
  REQUEST_RECEIPT_FIELDS,
  SOURCE_FIELDS,
  SYNC_RESOURCE_FIELDS,
} from '@svc/contract/fields';
import type { FailingSource } from '../status/failing-sources.ts';

/**
 * - `written`: one attempt succeeded
 * - `warning`: the latest attempt wrote the event, and the CRM refused a part of it
 * - `failed`: the latest attempt failed
 */
export type EventOutcome = 'written' | 'warning' | 'failed';

/** Something to do, with the command that does it. */
export interface NextStep {
  readonly text: string;
  readonly command: string | null;
}

/** The output of `syncs explain --json`. Parts that could not be read are null or empty, and named in `gaps`. */
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

const inside = (name: string, fields: readonly string[]) => [name, ...fields.map((field) => `${name}.${field}`)];

export const EXPLANATION_FIELDS: readonly string[] = [
  ...inside('sync', SYNC_RESOURCE_FIELDS),
  'outcome',
  ...inside('request', REQUEST_RECEIPT_FIELDS),
  ...inside('source', SOURCE_FIELDS),
  ...inside('connection', CONNECTION_STATUS_FIELDS),
  ...inside('blockers', BLOCKER_FIELDS),
  ...inside('failingSource', ['connectionId', 'sourceId', 'platform', 'since', 'reason', 'remediation']),
  ...inside('attempts', SYNC_RESOURCE_FIELDS),
  ...inside('otherSyncs', SYNC_RESOURCE_FIELDS),
  ...inside('deliveries', DESTINATION_DELIVERY_FIELDS),
  ...inside('nextSteps', ['text', 'command']),
  ...inside('gaps', ['part', 'reason']),
];
