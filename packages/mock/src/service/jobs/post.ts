/**
 * Where the posts of a world go (webhook deliveries and forwarded events). To private addresses and local names nothing is
 * posted at all. A host that a receiver was routed to is really called; every other post ends in the outbox, which answers 200.
 * A fault of operation `outbound` decides before both: latency counts where it exceeds the time limit of the post, which is then
 * taken as over, without the wait.
 */
import { ANSWER_BYTES_MAX, describeTimeout, findOutboundUrlProblem } from '@svc/domain/network/outbound-call';
import type { FaultEffect } from '../../state/fault.ts';
import { appendRow, keepNewest } from '../../state/log.ts';
import type { OutboxEntry } from '../../state/traffic.ts';
import { update, type World } from '../../state/world.ts';
import { applyFaults } from '../faults.ts';
import type { Post, PostResult, WorldRun } from './job-run.ts';

/** A post, or what came instead of one. */
export interface Sent extends PostResult {
  /** Nothing was sent, and nothing would be another time. */
  readonly isRefused: boolean;
}

export interface Outgoing {
  readonly kind: OutboxEntry['kind'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

const OUTBOX_MAX = 10_000;

/** Sends it, and records it in the outbox unless the world has moved on meanwhile. */
export async function send(run: WorldRun, outgoing: Outgoing): Promise<Sent> {
  const refusal = findOutboundUrlProblem(outgoing.url);
  if (refusal !== null) return { status: null, error: refusal, isRefused: true };
  return { ...(await post(run, outgoing)), isRefused: false };
}

async function post(run: WorldRun, outgoing: Outgoing): Promise<PostResult> {
  const { world, now, isCurrent } = run;
  const url = new URL(outgoing.url);
  const fault = applyFaults(world, { operationId: 'outbound', isApiCall: false, host: url.hostname });
  const end = fault === null ? null : endOf(fault.effect, outgoing.timeoutMs);
  const receiver = end?.isSent === false ? null : receiverOf(world, url.hostname);
  const { headers, body, timeoutMs } = outgoing;
  const answer =
    receiver === null
      ? { status: 200, error: null }
      : await postTo(run, receiver.replace(/\/+$/, '') + url.pathname + url.search, { headers, body, timeoutMs });
  const result = end?.result ?? answer;
  if (!isCurrent()) return result;
  const { outbox } = world.state;
  const id = world.state.postCount + 1;
  const entry: OutboxEntry = {
    id,
    createdAt: now,
    kind: outgoing.kind,
    url: outgoing.url,
    headers,
    body,
    receiver,
    ...result,
  };
  update(world, { postCount: id, outbox: keepNewest(appendRow(outbox, entry), OUTBOX_MAX) });
  return result;
}

/** A `post` that rejects all the same is one without an answer. */
async function postTo(
  { deps, beginPost }: WorldRun,
  url: string,
  init: Omit<Parameters<Post>[1], 'signal'>,
): Promise<PostResult> {
  const signal = beginPost(init.timeoutMs);
  const isOver = new Promise<PostResult>((resolve) => {
    const noAnswer = { status: null, error: describeTimeout(init.timeoutMs) };
    signal.addEventListener('abort', () => resolve(noAnswer), { once: true });
  });
  try {
    return await Promise.race([isOver, deps.post(url, { ...init, signal })]);
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Hosts are the same in any letter case. */
function receiverOf({ state }: World, hostname: string): string | null {
  const routed = Object.entries(state.settings.receivers).find(([host]) => host.toLowerCase() === hostname);
  return routed?.[1] ?? null;
}

interface FaultyEnd {
  /** Whether the receiver gets the post all the same. */
  readonly isSent: boolean;
  readonly result: PostResult;
}

/** What the sender sees of a fault; null when it sees nothing of it. Nothing is waited for beyond the limit. */
function endOf(effect: FaultEffect, timeoutMs: number): FaultyEnd | null {
  const noAnswer = { status: null, error: describeTimeout(timeoutMs) };
  switch (effect.kind) {
    case 'status':
      return { isSent: false, result: { status: effect.status, error: null } };
    case 'reset':
      return {
        isSent: effect.when === 'after',
        result: { status: null, error: 'ECONNRESET: The connection was reset' },
      };
    case 'hang':
      return { isSent: false, result: noAnswer };
    case 'latency':
      return effect.latencyMs < timeoutMs ? null : { isSent: true, result: noAnswer };
    case 'truncate':
      return (effect.bytes ?? 0) > ANSWER_BYTES_MAX
        ? null
        : { isSent: true, result: { status: null, error: 'ECONNRESET: aborted' } };
  }
}
