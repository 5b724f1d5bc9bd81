/** The webhooks that a sequencer has for one account, client or campaign. */

export interface RegisteredWebhook {
  id: string;
  url: string;
  /** What people see at the sequencer, where an update needs it. */
  name?: string | null;
  /** What it posts, in the platform's names; null: everything. */
  events: readonly string[] | null;
  /** False when the platform says that it is switched off. True where it does not say. */
  isEnabled: boolean;
}

export interface WebhookTarget {
  token: string;
  /** The sequencer's own address for this customer, without a slash at the end; null for the one of the installation. */
  instanceUrl: string | null;
  /** Null: the whole account. */
  campaignId: string | null;
}

/** How posts carry a secret that the platform takes from us: as it is, or as the key of their signature. */
export type SentSecret = 'header' | 'body' | 'hmac-sha1';

export interface WantedWebhook {
  url: string;
  /** What people see at the sequencer. */
  name: string;
  /** What each post shall carry, where the platform takes it from us. Null: nothing. */
  secret: { check: SentSecret; name: string; value: string } | null;
  /** Whether it is made beside one with the same URL, which is removed next. Default false. */
  isReplacement?: boolean;
}

/** What went wrong, and what to do. `message` has neither the token nor the URL. */
export interface WebhookFailure {
  message: string;
  /** Whether the same call may succeed later. */
  isTemporary: boolean;
}

export type WebhookAnswer<Value> = { status: 'success'; value: Value } | { status: 'error'; failure: WebhookFailure };

/** The calls about webhooks that a platform documents. None rejects; failures are answers. */
export interface WebhookClient {
  /** What the adapter of the platform reads, in the names of these calls. Null: one webhook posts everything. */
  readonly events: readonly string[] | null;
  /** Whether a webhook has one event only, so that there must be one for each. */
  readonly hasOneEventEach: boolean;
  /** Whether a webhook may be for one campaign. */
  readonly hasCampaigns: boolean;
  /** Whether a webhook of the whole account takes precedence over those of campaigns. */
  readonly overrulesCampaigns: boolean;
  /** Whether the platform refuses a second webhook with the same URL. */
  readonly isUrlUnique: boolean;
  /** How a webhook can carry a secret of ours. Null: not at all. */
  readonly secretIn: SentSecret | null;
  /** @param knownIds webhooks of earlier calls, for a platform that lists none */
  list(target: WebhookTarget, knownIds: readonly string[]): Promise<WebhookAnswer<RegisteredWebhook[]>>;
  /**
   * Returns the id.
   *
   * @param event the one of this webhook, where it has one only; null: all that the adapter reads
   */
  create(target: WebhookTarget, wanted: WantedWebhook, event: string | null): Promise<WebhookAnswer<string>>;
  /** Sets the events of a webhook. Absent: it must be replaced. */
  setEvents?: (
    target: WebhookTarget,
    webhook: RegisteredWebhook,
    events: readonly string[],
  ) => Promise<WebhookAnswer<null>>;
  /** Switches a webhook on again. Absent: the platform does not say whether it is on. */
  enable?: (target: WebhookTarget, id: string) => Promise<WebhookAnswer<null>>;
  /** Succeeds when there is no such webhook. */
  remove(target: WebhookTarget, id: string): Promise<WebhookAnswer<null>>;
}
