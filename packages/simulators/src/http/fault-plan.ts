/**
 * A fault of one request that every simulator has. A number is a status with the CRM's usual error body.
 * - `reset`: the connection breaks before the work. `lost-answer`: it breaks after the work.
 * - `hang`: no answer. `truncated`: half of the answer's body. `html`: a gateway's page with status 502.
 */
export type TransportFault = number | 'reset' | 'lost-answer' | 'hang' | 'truncated' | 'html';

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
