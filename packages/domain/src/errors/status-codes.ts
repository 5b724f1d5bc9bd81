/**
 * Explanations of the blocker and warning codes of `getAccountStatus`, shown in issues and on the page of status codes.
 */
import type { BlockerCode, WarningCode } from '@svc/contract/vocabulary';

export interface StatusCodeExplanation {
  /** A blocker makes `ready` false; a warning never does. */
  readonly kind: 'blocker' | 'warning';
  /** One or more sentences that hold for any connection. */
  readonly meaning: string;
  /** What to do, without a full stop, because a link may follow. The remediation of an issue begins with it. */
  readonly fix: string;
}

/** Every code that an answer of this release can hold, blockers first. */
export const STATUS_CODES = {
  crm_disconnected: {
    kind: 'blocker',
    meaning:
      'The connection has no valid access to its CRM: the token was never given, was withdrawn, or was refused by the CRM. Events are still received and kept, but nothing can be written; each attempt becomes a sync with status error.',
    fix: 'Reconnect the CRM as a user who may write contacts and activities',
  },
  crm_connection_error: {
    kind: 'warning',
    meaning:
      'The connection has valid access to its CRM, and an error was recorded on it, for example that the daily limit of calls is reached. The message holds its text. Events are received and kept, and written as soon as the CRM allows it; the next success clears the error.',
    fix: 'Mend what the recorded error names at the CRM',
  },
  destinations_not_configured: {
    kind: 'warning',
    meaning:
      'Destinations are enabled on the connection, but it has no forwarding URL and no reply relay that is bound to a source. Nothing is forwarded and no reply is relayed. Syncing to the CRM is not affected.',
    fix: 'Add a forwarding destination, or bind a reply relay to a source',
  },
  blocklists_not_configured: {
    kind: 'warning',
    meaning:
      'Block lists are enabled on the connection, but none is set up, so no CRM list is kept in step with a block list of the sequencer. Syncing to the CRM is not affected.',
    fix: 'Choose a CRM list to block in the sequencer',
  },
  blocklists_error: {
    kind: 'warning',
    meaning:
      'Fetching a CRM list, or pushing its entries to the block list of the sequencer, failed. The message holds the recorded text. What was pushed before stays in the sequencer; new entries are missing there. Syncing to the CRM is not affected.',
    fix: 'Mend what the recorded error names, then resync the block list',
  },
  source_events_not_understood: {
    kind: 'warning',
    meaning:
      'Of the last 20 requests that a source received in the last seven days, at least three and at least half were not understood: their payloads name no event that this service reads. They are kept, and nothing was written to the CRM for them.',
    fix: 'Look at the requests of the source, and let the operator of this service set how they are read',
  },
} as const satisfies Record<BlockerCode | WarningCode, StatusCodeExplanation>;
