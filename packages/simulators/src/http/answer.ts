/** What a simulator answers to one request. */
export interface Answer {
  status: number;
  /** Sent as JSON. Absent: no body. */
  body?: unknown;
  /** Sent as it is instead of `body`; its `Content-Type` is in `headers`. */
  text?: string;
  headers?: Record<string, string>;
}
