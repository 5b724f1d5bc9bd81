import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
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
   * Returns the plan to carry out. It does so once, because clients repeat calls that were not answered in time.
   * @param args arguments that come with the id: those of the first call, or none
   * @throws ToolError for an id that this book did not make for this caller and tool, that is too old, or that was used
   */
  open(planId: string, tool: string, args: Readonly<Record<string, unknown>>): Plan;
}

export interface PlanBookOptions {
  /** Secret of at least 32 bytes that makes ids unforgeable. */
  readonly secret: Uint8Array;
  /** Who may use the plans, such as the id of a key. */
  readonly principal: string;
  /** Plans that were carried out, and when each expires. The books of a process share it. */
  readonly used: Map<string, number>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function createPlanBook({ secret, principal, used, now }: PlanBookOptions): PlanBook {
  const sign = (content: string): Buffer => createHmac('sha256', secret).update(`${principal}\n${content}`).digest();
  return {
    mint(plan) {
      const expiresAtMs = now() + PLAN_TTL_MS;
      const content = Buffer.from(JSON.stringify({ id: randomUUID(), plan, expiresAtMs })).toString('base64url');
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
      const { id, plan, expiresAtMs } = JSON.parse(Buffer.from(content, 'base64url').toString()) as {
        readonly id: string;
        readonly plan: Plan;
        readonly expiresAtMs: number;
      };
      if (plan.tool !== tool) throw new ToolError(`This plan is one of ${plan.tool}.`);
      if (expiresAtMs < now()) throw new ToolError('The plan is older than ten minutes. Make a new one.');
      const other = Object.keys(args).find((name) => JSON.stringify(args[name]) !== JSON.stringify(plan.args[name]));
      if (other !== undefined) {
        throw new ToolError(`The plan has another ${other}. Pass the planId alone, or make a new plan.`);
      }
      for (const [old, endsAtMs] of used) if (endsAtMs < now()) used.delete(old);
      if (used.has(id)) throw new ToolError('This plan was carried out already. Look at the result before a new one.');
      used.set(id, expiresAtMs);
      return plan;
    },
  };
}
