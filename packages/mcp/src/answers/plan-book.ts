import { createHmac, timingSafeEqual } from 'node:crypto';
import { ToolError } from './errors.ts';

const PLAN_TTL_MS = 10 * 60_000;

/** What a call with the id of the plan does. */
export interface Plan {
  readonly tool: string;
  /** Arguments of the first call. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Exactly what is changed, such as the ids of syncs: what was shown is what is done. */
  readonly target: unknown;
}

export interface PlanBook {
  /** Returns the id of a plan, which carries the whole plan: nothing is stored. */
  mint(plan: Plan): { readonly planId: string; readonly expiresAt: string };
  /**
   * @param args arguments that come with the id: those of the first call, or none
   * @throws ToolError for an id that this book did not make for this caller and tool, or that is too old
   */
  open(planId: string, tool: string, args: Readonly<Record<string, unknown>>): Plan;
}

export interface PlanBookOptions {
  /** Secret of at least 32 bytes that makes ids unforgeable. */
  readonly secret: Uint8Array;
  /** Who may use the plans, such as the id of a key. */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function createPlanBook({ secret, principal, now }: PlanBookOptions): PlanBook {
  const sign = (content: string): Buffer => createHmac('sha256', secret).update(`${principal}\n${content}`).digest();
  return {
    mint(plan) {
      const expiresAtMs = now() + PLAN_TTL_MS;
      const content = Buffer.from(JSON.stringify({ plan, expiresAtMs })).toString('base64url');
      return {
        planId: `${content}.${sign(content).toString('base64url')}`,
        expiresAt: new Date(expiresAtMs).toISOString(),
      };
    },
    open(planId, tool, args) {
      const [content = '', signature = ''] = planId.split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(content);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw new ToolError('This planId is not valid. Call the tool without it to get a new plan.');
      }
      const { plan, expiresAtMs } = JSON.parse(Buffer.from(content, 'base64url').toString()) as {
        readonly plan: Plan;
        readonly expiresAtMs: number;
      };
      if (plan.tool !== tool) throw new ToolError(`This plan is one of ${plan.tool}.`);
      if (expiresAtMs < now()) throw new ToolError('The plan is older than ten minutes. Make a new one.');
      const other = Object.keys(args).find((name) => JSON.stringify(args[name]) !== JSON.stringify(plan.args[name]));
      if (other !== undefined) {
        throw new ToolError(`The plan has another ${other}. Pass the planId alone, or make a new plan.`);
      }
      return plan;
    },
  };
}
