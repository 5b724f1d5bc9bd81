import type { CrmAccess, CrmConnector, CrmFailed } from './types.ts';

/**
 * What the operator of a connection asks of its CRM outside the writing of events: what can be written, to make what is missing, and to prove
 * what nobody has verified. Never rejects: every failure is an outcome.
 */
export interface CrmSetup {
  /** Reads what the CRM offers, without changing anything. */
  describe(access: CrmAccess): Promise<CrmSchema | CrmFailed>;
  /** Makes the properties that last values and outcomes need. What is there stays as it is, so repeating it changes nothing. */
  prepare(input: { access: CrmAccess; isDryRun: boolean }): Promise<PreparedSetup | CrmFailed>;
  /**
   * Writes a person of its own through the connector, reads what became of it, and removes it.
   * Yields one result per statement, in the order of the document.
   */
  selfTest(input: SelfTestInput): AsyncIterable<CrmStatement>;
}

export interface CrmSchema {
  status: 'described';
  /** Records that events are written to: contacts; in Salesforce leads too. */
  records: readonly CrmRecordSchema[];
  /** Values of `outcomes.leadStatus`; null when the CRM has none. */
  leadStatuses: readonly CrmOption[] | null;
  /** Values of `outcomes.lifecycleStage` in their order; null when the CRM has none. */
  lifecycleStages: readonly CrmOption[] | null;
  /** Pipelines of deals or opportunities; null when they could not be read. */
  pipelines: readonly CrmPipeline[] | null;
  /** Whether people become members of campaigns (`outcomes.campaign`). */
  hasCampaignMembers: boolean;
  /** Whether contacts are added to lists (`outcomes.list`). */
  hasManualLists: boolean;
}

export interface CrmRecordSchema {
  /** The CRM's type of the record: `contacts`, `Contact`, `Lead`, `person`. */
  recordType: string;
  properties: readonly CrmProperty[];
}

export type CrmPropertyType = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'option' | 'options' | 'other';

export interface CrmProperty {
  /** As a policy names it. */
  name: string;
  label: string;
  type: CrmPropertyType;
  /** Null: other values than options are taken, or the options are not known. */
  options: readonly CrmOption[] | null;
  /** Longest text; null when it is not known. */
  maxLength: number | null;
  /** False for what the CRM computes, and for what this service writes by other rules (address, owner, its own properties). */
  isWritable: boolean;
}

export interface CrmOption {
  /** What is written. */
  value: string;
  label: string;
}

export interface CrmPipeline extends CrmOption {
  stages: readonly CrmOption[];
}

export interface PreparedSetup {
  status: 'prepared';
  items: readonly PreparedItem[];
}

export interface PreparedItem {
  /** Such as `property svc_last_sent_at of contacts`. */
  name: string;
  /** `missing`: a dry run would have made it. */
  state: 'exists' | 'made' | 'missing' | 'refused';
  /** Why it was refused, or what an admin has to do; null when there is nothing to say. */
  note: string | null;
}

export interface SelfTestInput {
  access: CrmAccess;
  organizationId: string;
  connector: CrmConnector;
  /** Makes the records of two tests different. */
  randomId: string;
  /** Whether the records stay in the CRM. */
  isKept: boolean;
}

export interface CrmStatement {
  /** As in `docs/crm/*.md`: `hubspot-1`. */
  id: string;
  /** The statement, as a sentence. */
  title: string;
  result: 'holds' | 'differs' | 'not tested';
  /** What the CRM did instead, or why it was not tested; never values of other people's records. */
  detail: string | null;
}
