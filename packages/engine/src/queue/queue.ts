/**
 * The queue: rows of `jobs` and the statements that add and settle them. `claims.ts` gives them to workers.
 *
 * Invariants, which `queue.test.ts` checks on both backends:
 * - No job is lost: it exists from the commit that made it necessary until a commit of its own work finishes it.
 * - A claim gives a lease and a fencing number. Only the latest number can finish, defer or extend the job, so a worker
 *   that lost its lease changes nothing.
 * - A claimed job's `due_at` is the end of its lease, so the jobs of a dead worker come due again.
 * - A job that is requested while it runs (`enqueueOnceMore`) is enqueued again by the commit that finishes it, so
 *   attempts of one (`kind`, `ref`) never overlap and no request is lost.
 */
import type { JobResult } from '../runtime/metrics.ts';
import { activeSpan, type OpenSpan } from '../runtime/tracing.ts';
import type { Db } from '../store/database/db.ts';

export interface NewJob {
  kind: string;
  /** The subject of the job. At most one job per (`kind`, `ref`) exists at a time. */
  ref: number | string;
  /**
   * Jobs with the same key take turns as one. Usually the key is the connection. `owner/key` when one owner has many
   * keys.
   */
  fairnessKey: string;
  dueAt: Date;
  createdAt: Date;
  /** False when `createdAt` is not now, so that claims find out when it is due. Default true: it is due at once unless `dueAt` is later. */
  isDueAtCreation?: boolean;
  state?: object;
  /**
   * `traceparent` of the span that the job follows from; null for none. Default: that of the request that adds the job, so that jobs
   * which add jobs for ever do not make one endless trace.
   */
  trace?: string | null;
}

export interface ClaimedJob {
  id: number;
  kind: string;
  ref: string;
  fairnessKey: string;
  /** Proves the claim; grows with each one. */
  fence: number;
  /** Number of claims, including this one. */
  attempts: number;
  /** State stored by earlier attempts. */
  state: Record<string, unknown>;
  createdAt: Date;
  /**
   * Set by `finish`, `defer` and their forms for many jobs, which also set `lease_lost`; final once the handler's
   * transaction has committed.
   */
  result?: Extract<JobResult, 'done' | 'deferred' | 'lease_lost'>;
  /** The span of the job while it runs; absent when it is not traced. */
  span?: OpenSpan;
}

/** Another worker has claimed the job: this worker's result does not count and its transaction must roll back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(job: ClaimedJob) {
    super(`The lease of job ${job.id} (${job.kind} ${job.ref}) was lost.`);
  }
}

/** This process cannot do the job at the moment: it goes back to the queue for another one, or for later, and nothing is counted. */
export class JobReturnedError extends Error {
  override readonly name = 'JobReturnedError';
}

/** Adds jobs in the caller's transaction; existing ones stay unchanged. Returns how many were added. */
export async function enqueue(db: Db, ...jobs: readonly NewJob[]): Promise<number> {
  const { rowCount } = await db.query({ name: 'jobs-enqueue', text: enqueueText(1) }, enqueueValues(jobs));
  return rowCount;
}

/**
 * Requests one more run of a job in the caller's transaction: adds the job, or runs it again after its current run. A
 * waiting job stays the only one, because it will run anyway.
 */
export async function enqueueOnceMore(db: Db, job: NewJob): Promise<void> {
  await db.query(
    {
      name: 'jobs-enqueue-once-more',
      text: `${insertText(1)} on conflict (kind, ref) do update set run_again_at = excluded.due_at where jobs.is_leased`,
    },
    enqueueValues([job]),
  );
}

/**
 * Returns the SQL of `enqueue`, to be part of the statement that stores the subject of the jobs.
 *
 * @param first number of the first parameter; the values are `enqueueValues(jobs)`
 */
export function enqueueText(first: number): string {
  return `${insertText(first)} on conflict (kind, ref) do nothing`;
}

function insertText(first: number): string {
  const types = ['text[]', 'text[]', 'text[]', 'timestamptz[]', 'text[]', 'timestamptz[]', 'boolean[]'];
  const values = types.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `insert into jobs (kind, ref, fairness_key, due_at, is_ready, state, created_at)
    select kind, ref, fairness_key, due_at, is_due and due_at <= created_at, state::jsonb, created_at
    from unnest(${values}) as new_jobs (kind, ref, fairness_key, due_at, state, created_at, is_due)`;
}

export function enqueueValues(jobs: readonly NewJob[]): unknown[] {
  return [
    jobs.map((job) => job.kind),
    jobs.map((job) => String(job.ref)),
    jobs.map((job) => job.fairnessKey),
    jobs.map((job) => job.dueAt.toISOString()),
    jobs.map((job) =>
      JSON.stringify(withTrace(job.state ?? {}, job.trace === undefined ? traceOfRequest() : job.trace)),
    ),
    jobs.map((job) => job.createdAt.toISOString()),
    jobs.map((job) => job.isDueAtCreation !== false),
  ];
}

/** Where the state of a job has the `traceparent` of the span that it follows from. Only recorded traces are stored. */
export const TRACEPARENT = 'traceparent';

function traceOfRequest(): string | null {
  const span = activeSpan();
  return span?.kind === 'server' ? span.traceparent : null;
}

function withTrace(state: object, trace: unknown): object {
  return typeof trace === 'string' ? { ...state, [TRACEPARENT]: trace } : state;
}

/** Returns the new state of a job as JSON: it keeps its trace. Null without a new one. */
export function storedState(job: ClaimedJob, state: object | undefined): string | null {
  return state === undefined ? null : JSON.stringify(withTrace(state, job.state[TRACEPARENT]));
}

const FINISH_TEXT = 'delete from jobs where id = $1 and fence = $2';

/**
 * Ends the job in the caller's transaction, and enqueues it again if it was requested meanwhile.
 *
 * @throws LeaseLostError when the claim is no longer the latest
 */
export async function finish(db: Db, job: ClaimedJob): Promise<void> {
  const { rows } = await db.query<{ runAgainAt: Date | null }>(
    { name: 'jobs-finish', text: `${FINISH_TEXT} returning run_again_at as "runAgainAt"` },
    [job.id, job.fence],
  );
  const [ended] = rows;
  if (!ended) throw new LeaseLostError(job);
  job.result = 'done';
  const { kind, ref, fairnessKey } = job;
  const { runAgainAt } = ended;
  if (runAgainAt !== null) await enqueue(db, toRunAgain({ kind, ref, fairnessKey }, runAgainAt));
}

function toRunAgain(job: Pick<NewJob, 'kind' | 'ref' | 'fairnessKey'>, at: Date): NewJob {
  return { ...job, dueAt: at, createdAt: at, isDueAtCreation: false };
}

/**
 * SQL of the table `locked` with the ids of the jobs ($1) whose claim ($2, their fences) is still the latest. Every
 * statement about several jobs locks them in the order of their ids, so that two statements never wait for each other.
 */
export const LOCKED = `locked as materialized (
  select jobs.id from jobs join unnest($1::bigint[], $2::bigint[]) as held (id, fence)
    on jobs.id = held.id and jobs.fence = held.fence
  order by jobs.id for update of jobs
)`;

/**
 * Ends jobs in the caller's transaction, and enqueues those again that were requested meanwhile. Another worker has
 * claimed the others: their results must not be stored.
 *
 * @returns the ids of the jobs that it ended
 */
export async function finishAll(tx: Db, jobs: readonly ClaimedJob[]): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number; runAgainAt: Date | null }>(
    {
      name: 'jobs-finish-all',
      text: `with ${LOCKED} delete from jobs using locked where jobs.id = locked.id
        returning jobs.id, jobs.run_again_at as "runAgainAt"`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence)],
  );
  const ended = new Map(rows.map((row) => [row.id, row.runAgainAt]));
  const again: NewJob[] = [];
  for (const job of jobs) {
    const runAgainAt = ended.get(job.id);
    job.result = runAgainAt === undefined ? 'lease_lost' : 'done';
    if (runAgainAt === undefined) continue;
    const { kind, ref, fairnessKey } = job;
    if (runAgainAt !== null) again.push(toRunAgain({ kind, ref, fairnessKey }, runAgainAt));
  }
  if (again.length > 0) await enqueue(tx, ...again);
  return new Set(ended.keys());
}

/**
 * SQL of whether a job that is looked up by its id is leased. The index of the leased jobs does not have this form: after an analysis of a
 * quiet queue PostgreSQL expects none in it, and would read all of them for each job.
 */
export const IS_LEASED = 'jobs.is_leased::int = 1';

/** SQL that sets the columns of a job that ends its lease unfinished; whoever claims next decides whether it is due. */
export const RELEASED = 'is_leased = false, is_leader = false, worker_id = null, is_ready = false, ordered_at = null';

/**
 * Releases the job to run again at `dueAt`. Without a new state it keeps the last stored one.
 *
 * @throws LeaseLostError when the claim is no longer the latest
 */
export async function defer(
  db: Db,
  job: ClaimedJob,
  next: { dueAt: Date; state?: object; error?: string },
): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-defer',
      text: `update jobs set due_at = $3, ${RELEASED}, failures = 0, state = coalesce($4, state), last_error = $5
        where id = $1 and fence = $2`,
    },
    [job.id, job.fence, next.dueAt, storedState(job, next.state), next.error ?? null],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
  job.result = 'deferred';
}

/** Makes a job that waits due at this instant at the latest. */
export async function bringForward(
  db: Db,
  { kind, ref, dueAt }: Pick<NewJob, 'kind' | 'ref' | 'dueAt'>,
): Promise<void> {
  await db.query(
    {
      name: 'jobs-bring-forward',
      text: 'update jobs set due_at = least(due_at, $3) where kind = $1 and ref = $2 and not is_leased',
    },
    [kind, String(ref), dueAt],
  );
}

/** Returns whether this job exists, waiting or running. */
export async function hasJob(db: Db, kind: string, ref: number | string): Promise<boolean> {
  const { rowCount } = await db.query({ name: 'jobs-has', text: 'select from jobs where kind = $1 and ref = $2' }, [
    kind,
    String(ref),
  ]);
  return rowCount > 0;
}

/** Locks the job before its handler changes anything. Throws `LeaseLostError` when the claim is no longer the latest. */
export async function lockClaimedJob(tx: Db, job: ClaimedJob): Promise<void> {
  const { rowCount } = await tx.query(
    { name: 'jobs-hold', text: 'select from jobs where id = $1 and fence = $2 for update' },
    [job.id, job.fence],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/**
 * Stores the progress of a long job in the caller's transaction; the claim continues. Resets the attempts, so that the
 * next failure has the first backoff.
 *
 * @throws LeaseLostError when the claim is no longer the latest
 */
export async function saveProgress(db: Db, job: ClaimedJob, state: object): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-progress',
      text: 'update jobs set state = $3, attempts = 0, failures = 0 where id = $1 and fence = $2',
    },
    [job.id, job.fence, storedState(job, state)],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}
