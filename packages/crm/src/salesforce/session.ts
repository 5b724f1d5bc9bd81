import type { CrmFailure } from '../http/http-failure.ts';
import type { CrmError, CrmRecords, CrmWrite } from '../port/types.ts';
import type { SalesforceClient } from './client.ts';
import type { SalesforceOrg } from './org.ts';
import type { Sales } from './sales.ts';

/** One event of a batch, and what has become of it. */
export interface EventWrite {
  write: CrmWrite;
  /** When the event happened. */
  at: Date;
  /** The text by which the event's task is recognized. */
  key: string;
  /** The earlier event of the same record that this event waits for; null when it can be written. */
  behind: EventWrite | null;
  /** Id of the event's contact or lead; null until it is known. */
  personId: string | null;
  /** Id of the event's completed task; null until it is written, and for a plan without an entry on the timeline. */
  taskId: string | null;
  /** Whether nothing is left to write. Without a person, the CRM has nobody and the plan creates nobody. */
  isSettled: boolean;
  /** Why the event cannot be written; null while it can. */
  failure: CrmFailure | null;
  /** Errors of refused optional parts. */
  warnings: CrmError[];
}

/** One batch. */
export interface SalesforceSession {
  client: SalesforceClient;
  org: SalesforceOrg;
  records: CrmRecords;
  /** Properties of people that the policies of these events write. */
  properties: readonly string[];
  now: () => Date;
  /** What the org offers for opportunities; null when the user does not see them. @throws CrmFailure */
  readSales: () => Promise<Sales | null>;
}

export function isOpen({ failure }: EventWrite): boolean {
  return failure === null;
}

/** Fails the events that can still be written. */
export function failEvents(events: readonly EventWrite[], failure: CrmFailure): void {
  for (const event of events) event.failure ??= failure;
}

/** Fails the events of which something is left to write. */
export function failUnsettled(events: readonly EventWrite[], failure: CrmFailure): void {
  failEvents(
    events.filter(({ isSettled }) => !isSettled),
    failure,
  );
}

/** Records a refused optional part of the events. */
export function warnEvents(events: readonly EventWrite[], error: CrmError): void {
  for (const event of events) event.warnings.push(error);
}
