/**
 * A fault of one request that every simulator has. A number is a status with the CRM's usual error body.
 * - `reset`: the connection breaks before the work. `lost-answer`: it breaks after the work.
 * - `hang`: no answer. `truncated`: half of the answer's body. `html`: a gateway's page with status 502.
 */
export type TransportFault = number | 'reset' | 'lost-answer' | 'hang' | 'truncated' | 'html';

const BREAKDOWNS = ['reset', 'lost-answer', 'hang', 'truncated', 'html'] as const;

/** Reads the body of `POST /__sim/faults`; null when it is no order of faults. */
export function parseFaultOrder(body: unknown): { count: number; fault: TransportFault; options: FaultOptions } | null {
  const { count = 1, fault, retryAfterSeconds }: Record<string, unknown> = Object(body);
  const known = BREAKDOWNS.find((each) => each === fault) ?? (isNumber(fault, 400, 599) ? fault : null);
  if (known === null || !isNumber(count, 1, 1_000_000)) return null;
  if (retryAfterSeconds === undefined) return { count, fault: known, options: {} };
  return isNumber(retryAfterSeconds, 0, 86_400) ? { count, fault: known, options: { retryAfterSeconds } } : null;
}

/** What is right, for the refusal of another order. */
export const FAULT_ORDER_RULE = `The body must be JSON such as {"count": 3, "fault": 503}: count is the number of requests that fail (default 1), fault a status from 400 to 599 or one of ${BREAKDOWNS.join(', ')}; retryAfterSeconds is optional.`;

function isNumber(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

export interface FaultOptions {
  /** Counts and fails only requests whose `METHOD /path` matches. */
  match?: RegExp;
  /** Number of matching requests that pass first. */
  skip?: number;
  retryAfterSeconds?: number;
}

/** Returns the fault of a request, or null. `count` is its number since the last reset, from 1. */
export type FaultSource<Fault> = (request: { method: string; path: string; count: number }) => Fault | null;

export interface TakenFault<Fault> {
  fault: Fault;
  options: FaultOptions;
}

/** The faults that a test has ordered, and the source of all others. */
export class FaultPlan<Fault> {
  readonly #otherwise: FaultSource<Fault>;
  #planned: { fault: Fault; skip: number; left: number; options: FaultOptions }[] = [];

  constructor(otherwise: FaultSource<Fault> = () => null) {
    this.#otherwise = otherwise;
  }

  /** Makes the next `count` requests fail with `fault`. Calls add up, in order. */
  failNext(count: number, fault: Fault, options: FaultOptions = {}): void {
    this.#planned.push({ fault, skip: options.skip ?? 0, left: count, options });
  }

  /** Returns the fault of this request; `path` is without the query. */
  take(method: string, path: string, count: number): TakenFault<Fault> | null {
    const plan = this.#planned.find(
      ({ left, options: { match } }) => left > 0 && (match === undefined || match.test(`${method} ${path}`)),
    );
    if (plan !== undefined && plan.skip > 0) {
      plan.skip -= 1;
      return null;
    }
    if (plan !== undefined) {
      plan.left -= 1;
      return plan;
    }
    const fault = this.#otherwise({ method, path, count });
    return fault === null ? null : { fault, options: {} };
  }

  reset(): void {
    this.#planned = [];
  }
}
