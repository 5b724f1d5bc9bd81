/** The log of `svc-mock`: hints, and with `--verbose` a line for each call. */
import type { Branding } from '@svc/domain/pages/branding';
import { isControlPath } from '../../control/prefix.ts';
import type { HandledCall, MockRequest, Outcome } from '../../service/call.ts';
import { pathOf } from '@svc/domain/requests/match-route';
import { shortenKey } from '../../service/shorten-key.ts';
import { toLoggedTarget } from '../../service/secrets.ts';
import type { FaultEffect } from '../../state/fault.ts';

export interface CallLog {
  /** Gets API calls and inbound posts from the engine. */
  readonly onCall: (call: HandledCall) => void;
  /** Gets the world that a control call acts on. */
  readonly onControl: (request: MockRequest, worldId: string) => void;
  /** Gets every call when its answer is written. */
  readonly onAnswered: (request: MockRequest, outcome: Outcome, durationMs: number) => void;
}

export interface CallLogOptions {
  /** Writes a line, without its end. */
  readonly write: (line: string) => void;
  readonly isVerbose: boolean;
  readonly branding: Branding;
}

const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Creates a log. Each hint is written once, whatever its instants. */
export function createCallLog({ write, isVerbose, branding }: CallLogOptions): CallLog {
  const shown = ({ target }: MockRequest) => toLoggedTarget(target, branding);
  const hints = new Set<string>();
  const handled = new WeakMap<MockRequest, HandledCall>();
  const controlled = new WeakMap<MockRequest, string>();
  return {
    onCall(call) {
      handled.set(call.request, call);
      const { hint, entry } = call;
      if (hint === null) return;
      const kind = hint.replaceAll(INSTANT, '');
      if (hints.has(kind)) return;
      hints.add(kind);
      write(`hint: ${entry.method} ${shown(call.request)} was answered ${entry.status}: ${hint}`);
    },
    onControl(request, worldId) {
      controlled.set(request, worldId);
    },
    onAnswered(request, outcome, durationMs) {
      if (!isVerbose) return;
      const call = handled.get(request);
      const facts = call === undefined ? controlFacts(request, controlled.get(request)) : callFacts(call);
      const took = `${Math.round(durationMs)} ms`;
      write(`${request.method} ${shown(request)} ${describeEnd(outcome)} ${[...facts, took].join(', ')}`);
    },
  };
}

function describeEnd(outcome: Outcome): string {
  if (!('answer' in outcome)) return outcome.kind === 'hang' ? 'no answer' : 'connection reset';
  return `${outcome.answer.status}${outcome.kind === 'truncated' ? ' truncated' : ''}`;
}

function callFacts({ request, worldId, entry, fault }: HandledCall): string[] {
  const { operationId, nearestRoute, status } = entry;
  return [
    operationId ?? (status === 200 ? 'page' : `no operation (nearest: ${nearestRoute})`),
    `world ${worldId}`,
    ...describeKey(request, entry.keyName),
    ...(fault === null ? [] : [`${fault.id} (${describeEffect(fault.effect)})`]),
  ];
}

function describeKey({ headers: { authorization } }: MockRequest, name: string | null): string[] {
  if (name !== null) return [`key "${name}"`];
  return authorization === undefined ? [] : [`invalid key ${shortenKey(authorization.replace(/^bearer\b\s*/i, ''))}`];
}

function describeEffect(effect: FaultEffect): string {
  switch (effect.kind) {
    case 'status':
      return `status ${effect.status}`;
    case 'latency':
      return `latency ${effect.latencyMs} ms`;
    default:
      return effect.kind;
  }
}

function controlFacts({ target }: MockRequest, worldId: string | undefined): string[] {
  if (!isControlPath(pathOf(target))) return ['no world'];
  return ['control', ...(worldId === undefined ? [] : [`world ${worldId}`])];
}
