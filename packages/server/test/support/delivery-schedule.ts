/**
 * The rules of webhook deliveries, written a second time as a test oracle, without the code of
 * `domain/src/webhooks/webhook-delivery.ts`: what a delivery must have become, given its endpoint's answers and the
 * times of its calls.
 */
import type { Answer, Post } from './flaky-receiver.ts';

const MINUTE_MS = 60_000;
const ATTEMPTS_MAX = 8;
/** Waits after the attempts 1, 2, ... 7; the first also gets the jitter. */
const WAITS_MS = [1, 2, 4, 8, 16, 30, 60].map((minutes) => minutes * MINUTE_MS);
const JITTER_MAX_MS = 300_000;

export interface StoredDelivery {
  id: string;
  eventId: string;
  webhookId: string;
  status: string;
  attemptCount: number;
  lastAttemptAt: Date | null;
  nextAttemptAt: Date | null;
  lastHttpStatus: number | null;
  lastError: string | null;
  updatedAt: Date;
}

/** The shortest and the longest wait after this many attempts. */
function waitRange(attempts: number): [number, number] {
  const wait = WAITS_MS[attempts - 1] ?? Number.NaN;
  return [wait, attempts === 1 ? wait + JITTER_MAX_MS : wait];
}

/** Returns whether the next attempt of a failed delivery is scheduled correctly. */
export function isPlannedRight(delivery: StoredDelivery): boolean {
  const [shortest, longest] = waitRange(delivery.attemptCount);
  return plannedWaitMs(delivery) >= shortest && plannedWaitMs(delivery) <= longest;
}

/** Returns how much longer than the shortest first wait a delivery waits that failed once. */
export function jitterOf(delivery: StoredDelivery): number {
  return plannedWaitMs(delivery) - waitRange(1)[0];
}

function plannedWaitMs({ nextAttemptAt, lastAttemptAt }: StoredDelivery): number {
  return (nextAttemptAt?.getTime() ?? Number.NaN) - (lastAttemptAt?.getTime() ?? Number.NaN);
}

/**
 * Returns what is wrong with a finished delivery, or null.
 *
 * @param posts all posts that its endpoint received, in order
 * @param latestMs how much later than scheduled an attempt may come
 */
export function problemWith(delivery: StoredDelivery, posts: readonly Post[], latestMs: number): string | null {
  const answers = posts.map((post) => post.answer);
  const last = answers.at(-1);
  const found = `${delivery.status} after ${delivery.attemptCount}`;
  const expected = finalStateOf(answers);
  if (found !== expected) return `${found}, expected ${expected}: ${answers.join(', ')}`;
  if (delivery.lastHttpStatus !== (last === 'reset' ? null : last)) return `last status ${delivery.lastHttpStatus}`;
  if ((delivery.lastError === null) !== (delivery.status === 'SUCCEEDED')) return `last error ${delivery.lastError}`;
  for (const [index, post] of posts.slice(1).entries()) {
    const [shortest, longest] = waitRange(index + 1);
    const waitMs = (signedAt(post) - signedAt(posts[index])) * 1_000;
    // Signatures have whole seconds, so a wait may appear up to one second longer than it was, never shorter.
    if (waitMs < shortest || waitMs > longest + latestMs)
      return `${waitMs} ms between attempt ${index + 1} and the next`;
  }
  return null;
}

function finalStateOf(answers: readonly Answer[]): string {
  for (const [index, answer] of answers.entries()) {
    const attempts = index + 1;
    const isSuccess = typeof answer === 'number' && answer >= 200 && answer <= 299;
    const isOver = isSuccess || answer === 404 || answer === 413 || attempts === ATTEMPTS_MAX;
    if (isOver && attempts < answers.length) return `no attempt after number ${attempts}`;
    if (isOver) return `${isSuccess ? 'SUCCEEDED' : 'DEAD'} after ${attempts}`;
  }
  return `PENDING after ${answers.length}`;
}

/** Returns the seconds in the signature, which say when the sender began the attempt. */
function signedAt(post: Post | undefined): number {
  return Number(/^t=(\d+),/.exec(post?.headers['service-signature'] ?? '')?.[1]);
}
