export interface JournalEntry {
  at: string;
  method: string;
  /** Path and query, as received. */
  path: string;
  authorization: string | null;
  body: unknown;
  /** 0 when no status was sent. */
  status: number;
}

const JOURNAL_MAX = 20_000;

/** The last 20,000 requests, oldest first. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  /** Number of requests since the last reset. */
  count = 0;

  add(entry: JournalEntry): void {
    this.count += 1;
    this.entries.push(entry);
    if (this.entries.length > JOURNAL_MAX) this.entries.shift();
  }

  reset(): void {
    this.entries.length = 0;
    this.count = 0;
  }
}
