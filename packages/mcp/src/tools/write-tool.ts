import * as z from 'zod';
import type { RecordAnswer } from '../answers/answer.ts';
import { ToolError } from '../answers/errors.ts';
import { defineTool, type Tool, type ToolCall } from './tool.ts';

/** What a call would do. */
export interface Intent<Target> {
  /** In our words, with counts and ids only: `retry 12 syncs`. */
  readonly what: string;
  /** What the caller should see before it is done. May hold text of third parties. */
  readonly shown: object;
  readonly target: Target;
  /** Whether it is done only by a second call, with the id of the plan. */
  readonly needsPlan: boolean;
}

interface WriteTool<Shape extends z.core.$ZodLooseShape, Target> extends Omit<Tool, 'input' | 'run' | 'hints'> {
  readonly input: Shape;
  readonly isDestructive: boolean;
  readonly isIdempotent: boolean;
  readonly prepare: (args: z.infer<z.ZodObject<Shape, z.core.$strict>>, call: ToolCall) => Promise<Intent<Target>>;
  readonly perform: (target: Target, call: ToolCall) => Promise<RecordAnswer>;
}

const planId = z.string().max(8000).optional().describe('Carries out the plan of the first call');

/** Makes a tool whose first call returns a plan, and whose second call, with the id of the plan, does exactly that. */
export function defineWriteTool<Shape extends z.core.$ZodLooseShape, Target>({
  input,
  isDestructive,
  isIdempotent,
  prepare,
  perform,
  ...rest
}: WriteTool<Shape, Target>): Tool {
  const own = z.strictObject(input);
  // Arguments are complete only without the id of a plan.
  const schema = z.strictObject({ ...own.partial().shape, planId });
  return defineTool({
    ...rest,
    input: schema as unknown as z.ZodObject<z.core.$ZodLooseShape, z.core.$strict>,
    hints: {
      readOnlyHint: false,
      destructiveHint: isDestructive,
      idempotentHint: isIdempotent,
      openWorldHint: true,
    },
    async run({ planId: id, ...args }, call) {
      if (call.plans === undefined) throw new ToolError('This server only reads.');
      if (typeof id === 'string') return perform(call.plans.open(id, rest.name, args).target as Target, call);
      const parsed = own.safeParse(args);
      if (!parsed.success) throw new ToolError(z.prettifyError(parsed.error));
      const intent = await prepare(parsed.data, call);
      if (!intent.needsPlan) return perform(intent.target, call);
      const { planId: minted, expiresAt } = call.plans.mint({ tool: rest.name, args, target: intent.target });
      return {
        source: 'plan',
        summary: `Nothing is done yet. The plan: ${intent.what}. Show it to the user first. It expires at ${expiresAt}.`,
        record: intent.shown,
        plan: { planId: minted, what: intent.what },
        next: [{ text: 'to carry out the plan, call', tool: rest.name, args: { planId: minted } }],
      };
    },
  });
}
