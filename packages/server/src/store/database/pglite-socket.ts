/**
 * A socket for `pg` that ends in PGlite instead of on a network: it speaks PostgreSQL's wire protocol to the driver and
 * hands what the driver writes to the database in this process.
 *
 * The adapter that comes with PGlite sends each protocol message by itself. A real server skips what follows a failed
 * message until the next Sync; PGlite, asked message by message, answers each of them, the answers run ahead of the
 * driver, and after the first error every statement gets the answer of another. So messages are collected here and go to
 * the database in one piece, up to the message that asks for an answer. That is also a fifth of the calls.
 *
 * A real server also gives every connection a session of its own. The pool opens a new connection after each statement that
 * failed, and PGlite has one session for ever: what the last connection left in it is thrown away first, or its prepared
 * statements would be in the way of the same names for good.
 *
 * Nothing here waits for the system: a statement, its answer and the next statement follow each other within one turn of the
 * event loop. With work queued up behind the one connection that turn would last for seconds, in which no request is read and
 * the time of every post runs out. So it is ended now and then.
 */
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

/** Messages that the driver waits after: Query, Sync, Flush. */
const ASKS_FOR_ANSWER = new Set([0x51, 0x53, 0x48]);
const TERMINATE = 0x58;
/** AuthenticationOk, then ReadyForQuery (idle): this database asks nobody who they are. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** How long statements may follow each other before timers and sockets have their turn. */
const TURN_MS = 10;
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** One by one: together they would be one transaction. */
const FORGET_SESSION = ['rollback', 'deallocate all'].map(toQueryMessage);

function toQueryMessage(sql: string): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(LENGTH_BYTES + Buffer.byteLength(sql) + 1);
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${sql}\0`)]);
}

export class PgliteSocket extends Duplex {
  readonly #pglite: Pick<PGlite, 'execProtocolRaw'>;
  #isWelcomed = false;
  /** What the driver wrote and was not handed on yet. */
  #pending: Buffer = Buffer.alloc(0);
  /** How much of it is whole messages that wait for one that asks for an answer. */
  #scanned = 0;
  #turnBegan = performance.now();

  constructor(pglite: Pick<PGlite, 'execProtocolRaw'>) {
    super();
    this.#pglite = pglite;
  }

  /** There is nothing to connect to; `pg` only waits for the event. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    void this.#handOnThen(done);
  }

  async #handOnThen(done: (error?: Error | null) => void): Promise<void> {
    try {
      await this.#handOn();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  }

  async #handOn(): Promise<void> {
    if (!this.#isWelcomed) await this.#welcome();
    for (let end = this.#endOfQuestion(); end > 0; end = this.#endOfQuestion()) {
      const question = this.#pending.subarray(0, end);
      this.#pending = this.#pending.subarray(end);
      this.#scanned = 0;
      await this.#endLongTurn();
      const answer = await this.#pglite.execProtocolRaw(question);
      this.push(Buffer.from(answer));
    }
  }

  async #endLongTurn(): Promise<void> {
    if (performance.now() - this.#turnBegan < TURN_MS) return;
    await setImmediate();
    this.#turnBegan = performance.now();
  }

  /** The first message has no type, and whatever it says is fine. */
  async #welcome(): Promise<void> {
    if (this.#pending.length < LENGTH_BYTES) return;
    const length = this.#pending.readInt32BE(0);
    if (this.#pending.length < length) return;
    this.#pending = this.#pending.subarray(length);
    this.#isWelcomed = true;
    for (const question of FORGET_SESSION) await this.#pglite.execProtocolRaw(question);
    this.push(WELCOME);
  }

  /** How many bytes make whole messages up to and with one that asks for an answer; 0 when it is not there yet. */
  #endOfQuestion(): number {
    while (this.#pending.length >= this.#scanned + TYPE_BYTES + LENGTH_BYTES) {
      const type = this.#pending[this.#scanned] ?? 0;
      const end = this.#scanned + TYPE_BYTES + this.#pending.readInt32BE(this.#scanned + TYPE_BYTES);
      if (this.#pending.length < end) return 0;
      this.#scanned = end;
      if (type === TERMINATE) {
        this.push(null);
        return 0;
      }
      if (ASKS_FOR_ANSWER.has(type)) return end;
    }
    return 0;
  }

  // What `pg` also calls on a socket, and what means nothing here.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
