import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import type { CrmReport } from './crm-server.ts';

/** Concurrent posts. */
const CONNECTIONS = 64;
/** Pause before a post that was not acknowledged is repeated. */
const REPEAT_MS = 250;
/** Longer than any contender takes to start again. */
const REPEAT_LIMIT_MS = 180_000;
const POLL_MS = 10;
/** No contender needs so long between two events: pg-boss finds the jobs of a dead process after some 25 seconds. */
const SILENCE_MS = 40_000;

const payload = JSON.parse(
  readFileSync(new URL('../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

export type Burst = { readonly perSecond: number; readonly callsPer100: number };

/** Posts events of new contacts to a contender, and compares them with the emails in its HubSpot. */
export class Load {
  readonly #contender: Contender;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  /** When each event of this round was first posted, in milliseconds since 1970, by its subject. */
  #posted = new Map<string, number>();
  #number = 0;
  /** Emails in HubSpot before this round. */
  #before = 0;

  constructor(contender: Contender) {
    this.#contender = contender;
  }

  get name(): string {
    return this.#contender.name;
  }

  async burst(count: number): Promise<Burst> {
    await this.#begin();
    await this.#postMany(count);
    const { calls, writtenAt } = await this.#finish();
    const first = Math.min(...this.#posted.values());
    return {
      perSecond: (writtenAt.size * 1_000) / (Math.max(...writtenAt.values()) - first),
      callsPer100: (100 * calls) / count,
    };
  }

  /**
   * Posts at a constant rate, whether or not earlier posts are answered.
   *
   * @returns milliseconds from the post to the email, which 99 % of the events needed at most
   */
  async latency(perSecond: number, seconds: number): Promise<number> {
    await this.#begin();
    const count = perSecond * seconds;
    const posts: Promise<void>[] = [];
    const started = performance.now();
    for (let index = 0; index < count; index += 1) {
      await wait(Math.max(0, started + (index * 1_000) / perSecond - performance.now()));
      posts.push(this.#post());
    }
    await Promise.all(posts);
    const { writtenAt } = await this.#finish();
    const latencies = [...this.#posted].map(([subject, at]) => (writtenAt.get(subject) ?? Infinity) - at);
    return latencies.toSorted((a, b) => a - b)[Math.ceil(count * 0.99) - 1] ?? Number.NaN;
  }

  /** Posts events, and kills the contender when half of them are written. Resolves when all posts are acknowledged. */
  async crash(count: number): Promise<void> {
    await this.#begin();
    const kill = async () => {
      while ((await this.#written()) < count / 2) await wait(POLL_MS);
      await this.#contender.killAndRestart();
    };
    await Promise.all([this.#postMany(count), kill()]);
  }

  /** @returns how many of the events of the crash have no email, and how many emails are too many */
  async damage(): Promise<{ lost: number; doubled: number }> {
    await this.#untilWritten(Infinity);
    const { emails } = await this.#report();
    const written = new Set(emails.map(([subject]) => subject));
    return { lost: this.#posted.size - written.size, doubled: emails.length - written.size };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #begin(): Promise<void> {
    this.#posted = new Map();
    await this.#report();
    this.#before = 0;
    this.#before = await this.#written();
  }

  async #finish(): Promise<{ calls: number; writtenAt: ReadonlyMap<string, number> }> {
    const { size } = this.#posted;
    await this.#untilWritten(size);
    const { calls, emails } = await this.#report();
    const writtenAt = new Map(emails);
    if (emails.length !== size || writtenAt.size !== size) {
      process.stderr.write(`${this.name}: of ${size} events, ${writtenAt.size} have ${emails.length} emails.\n`);
    }
    return { calls, writtenAt };
  }

  async #report(): Promise<CrmReport> {
    return JSON.parse(await this.#contender.crm.ask('report'));
  }

  /** Returns the number of emails that this round has made. */
  async #written(): Promise<number> {
    return Number(await this.#contender.crm.ask('count')) - this.#before;
  }

  /** Resolves when there are so many emails, or no more of them for a long time. */
  async #untilWritten(count: number): Promise<void> {
    let seen = 0;
    for (let seenAt = performance.now(); performance.now() - seenAt < SILENCE_MS; ) {
      const written = await this.#written();
      if (written >= count) return;
      if (written > seen) [seen, seenAt] = [written, performance.now()];
      await wait(POLL_MS);
    }
  }

  async #postMany(count: number): Promise<void> {
    let left = count;
    const postSome = async () => {
      while (left > 0) {
        left -= 1;
        await this.#post();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, postSome));
  }

  /**
   * Posts an event until the post is acknowledged, as sequencers do.
   *
   * @throws Error when that takes more than three minutes
   */
  async #post(): Promise<void> {
    this.#number += 1;
    const subject = `Event ${this.#number}`;
    const event = { stats_id: `bench-${this.#number}`, sl_lead_email: `lead-${this.#number}@example.org`, subject };
    const body = JSON.stringify({ ...payload, ...event });
    const at = Date.now();
    this.#posted.set(subject, at);
    while (!(await this.#send(body))) {
      if (Date.now() - at > REPEAT_LIMIT_MS)
        throw new Error(`${this.name} has not acknowledged a post for three minutes`);
      await wait(REPEAT_MS);
    }
  }

  #send(body: string): Promise<boolean> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json' };
      const call = request(this.#contender.webhook(), { method: 'POST', agent: this.#agent, headers }, (response) =>
        response.resume().once('close', () => resolve(response.complete && response.statusCode === 200)),
      );
      call.once('error', () => resolve(false));
      call.end(body);
    });
  }
}
