import {
  BLOCKER_FIELDS,
  CONNECTION_STATUS_FIELDS,
  DESTINATION_DELIVERY_FIELDS,
  REQUEST_RECEIPT_FIELDS,
  SOURCE_FIELDS,
  SYNC_RESOURCE_FIELDS,
} from '@svc/contract/fields';
import type { Explanation as Facts, NextAction } from '@svc/mcp/explain/explanation';

/** The output of `syncs explain --json`. */
export interface Explanation extends Omit<Facts, 'nextSteps'> {
  /** What to do, each with the command that does it. */
  readonly nextSteps: readonly { readonly text: string; readonly command: string | null }[];
}

/** Names the command of each next step. */
export function withCommands(facts: Facts): Explanation {
  const nextSteps = facts.nextSteps.map(({ text, action }) => ({ text, command: action && commandOf(action) }));
  return { ...facts, nextSteps };
}

function commandOf(action: NextAction): string {
  switch (action.kind) {
    case 'retry-sync':
      return `svc syncs retry ${action.id}`;
    case 'preview-retries':
      return `svc syncs retry --all --source ${action.sourceId} --since ${action.since} --dry-run`;
    case 'replay-delivery':
      return `svc deliveries replay ${action.id} --destination ${action.destinationId}`;
    case 'list-syncs': {
      const { filter } = action;
      const flag = 'sourceId' in filter ? `--source ${filter.sourceId}` : `--connection ${filter.connectionId}`;
      return `svc syncs list ${flag} --since 1h --limit 5`;
    }
    case 'open-connection':
      return `svc open connection ${action.connectionId}`;
    case 'show-status':
      return 'svc status';
    case 'watch-status':
      return 'svc status --watch';
  }
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
