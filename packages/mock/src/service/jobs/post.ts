/**
 * Makes the posts of a world: webhook deliveries and forwarded events. Posts to private addresses and local names are refused.
 * Posts to a host with a receiver are sent there, others are only recorded in the outbox and count as answered 200. Faults of
 * operation `outbound` apply first; latency beyond the post's time limit is a timeout, without a wait.
 */
import { ANSWER_BYTES_MAX, describeTimeout, findOutboundUrlProblem } from '@svc/domain/network/outbound-call';
import type { FaultEffect } from '../../state/fault.ts';
import { addEntry } from '../../state/history.ts';
import type { OutboxEntry } from '../../state/traffic.ts';
import { update, type World } from '../../state/world.ts';
import { applyFaults } from '../faults.ts';
import type { Post, PostResult, WorldRun } from './job-run.ts';

/** The result of a post. */
export interface Sent extends PostResult {
  /** Whether the URL is not allowed, so that a retry would be refused too. */
  readonly isRefused: boolean;
}

export interface Outgoing {
  readonly kind: OutboxEntry['kind'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Makes a post and records it in the outbox. */
export async function send(run: WorldRun, outgoing: Outgoing): Promise<Sent> {
  const refusal = findOutboundUrlProblem(outgoing.url);
  if (refusal !== null) return { status: null, error: refusal, isRefused: true };
  return { ...(await post(run, outgoing)), isRefused: false };
}

async function post(run: WorldRun, outgoing: Outgoing): Promise<PostResult> {
  const { world, now, isCurrent } = run;
  const url = new URL(outgoing.url);
  const fault = applyFaults(world, { operationId: 'outbound', isApiCall: false, host: url.hostname });
  const faultResult = fault === null ? null : faultResultOf(fault.effect, outgoing.timeoutMs);
  const receiver = faultResult?.isSent === false ? null : receiverOf(world, url.hostname);
  const { headers, body, timeoutMs } = outgoing;
  const answer =
    receiver === null
      ? { status: 200, error: null }
      : await postTo(run, receiver.replace(/\/+$/, '') + url.pathname + url.search, { headers, body, timeoutMs });
  const result = faultResult?.result ?? answer;
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
  update(world, { postCount: id, outbox: addEntry(outbox, entry) });
  return result;
}

/** Posts to a receiver. A rejection becomes a result without status. */
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

/** Returns the base URL of the host's receiver, or null. */
function receiverOf({ state }: World, hostname: string): string | null {
  const routed = Object.entries(state.settings.receivers).find(([host]) => host.toLowerCase() === hostname);
  return routed?.[1] ?? null;
}

interface FaultResult {
  /** Whether the receiver gets the post nevertheless. */
  readonly isSent: boolean;
  readonly result: PostResult;
}

/** Returns the effect of a fault on a post; null when it has none. */
function faultResultOf(effect: FaultEffect, timeoutMs: number): FaultResult | null {
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
