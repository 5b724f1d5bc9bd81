/** Posts that the service made: webhook deliveries and forwarded events. */
export interface OutboxEntry {
  /** Counts the posts of the world from 1. */
  readonly id: number;
  /** World time. */
  readonly createdAt: Date;
  readonly kind: 'webhook' | 'forwarding';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As sent; UTF-8. */
  readonly body: string;
  /** Where it really went; null when the outbox itself answered. */
  readonly receiver: string | null;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
}
