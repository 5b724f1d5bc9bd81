/**
 * A socket for `pg` that speaks PostgreSQL's wire protocol to a PGlite in this process instead of a network.
 *
 * PGlite's own adapter sends each protocol message separately. A real server skips messages after a failed one until
 * the next Sync, but PGlite answers each of them, so after an error every statement would get the answer of another.
 * Therefore messages are collected and sent together, up to one that requires an answer. This also needs only a fifth
 * of the calls.
 *
 * A real server gives every connection its own session. The pool opens a new connection after a failed statement, but
 * PGlite has only one session, so its state is cleared first; otherwise old prepared statements would conflict by name.
 *
 * Nothing here waits for the system, so consecutive statements run in one turn of the event loop. Under load that turn
 * would last for seconds, without reading requests or firing timers, so the socket yields regularly.
 */
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

/** Messages after which the driver waits: Query, Sync, Flush. */
const REQUIRES_ANSWER = new Set([0x51, 0x53, 0x48]);
const TERMINATE = 0x58;
/** AuthenticationOk, then ReadyForQuery (idle): this database has no authentication. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** How long statements may run before timers and sockets get a turn. */
const TURN_MS = 10;
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** Sent separately: together they would be one transaction. */
const CLEAR_SESSION = ['rollback', 'deallocate all'].map(toQueryMessage);

function toQueryMessage(sql: string): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(LENGTH_BYTES + Buffer.byteLength(sql) + 1);
  return Buffer.concat([Buffer.from('Q'), length, Buffer.from(`${sql}\0`)]);
}

export class PgliteSocket extends Duplex {
  readonly #pglite: Pick<PGlite, 'execProtocolRawStream'>;
  #isWelcomed = false;
  /** Bytes from the driver that are not processed yet. */
  #pending: Buffer = Buffer.alloc(0);
  /** Number of these bytes that are complete messages before one that requires an answer. */
  #scanned = 0;
  #turnBegan = performance.now();

  constructor(pglite: Pick<PGlite, 'execProtocolRawStream'>) {
    super();
    this.#pglite = pglite;
  }

  /** There is nothing to connect to; `pg` waits for the event. */
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
      this.push(await this.#ask(question));
    }
  }

  /** Not with `execProtocolRaw`, which also parses each answer and keeps the messages for ever (PGlite 0.5.16). */
  async #ask(question: Buffer): Promise<Buffer> {
    const pieces: Buffer[] = [];
    // Copied, because the piece is in PGlite's own memory.
    await this.#pglite.execProtocolRawStream(question, { onRawData: (piece) => pieces.push(Buffer.from(piece)) });
    return Buffer.concat(pieces);
  }

  async #endLongTurn(): Promise<void> {
    if (performance.now() - this.#turnBegan < TURN_MS) return;
    await setImmediate();
    this.#turnBegan = performance.now();
  }

  /** The first message has no type, and its content does not matter. */
  async #welcome(): Promise<void> {
    if (this.#pending.length < LENGTH_BYTES) return;
    const length = this.#pending.readInt32BE(0);
    if (this.#pending.length < length) return;
    this.#pending = this.#pending.subarray(length);
    this.#isWelcomed = true;
    for (const question of CLEAR_SESSION) await this.#ask(question);
    this.push(WELCOME);
  }

  /** Returns the number of bytes up to and including a message that requires an answer; 0 if it has not arrived. */
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
      if (REQUIRES_ANSWER.has(type)) return end;
    }
    return 0;
  }

  // Methods of a socket that `pg` calls and that have no effect here.
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
