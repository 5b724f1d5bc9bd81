import { chunks } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';

/** Most inputs of one call. */
const INPUTS_MAX = 100;

/**
 * A bad value (400), a conflict (409), a batch that is too large (413), a locked record (423). A missing scope, an
 * unknown token or a limit concerns every input.
 */
export const DIVISIBLE: ReadonlySet<number | null> = new Set([400, 409, 413, 423]);

/** Sends inputs in as few calls as HubSpot takes, all at once. Returns their answers in the order of the inputs. */
export async function sendInChunks<Input, Answer>(
  inputs: readonly Input[],
  send: (inputs: readonly Input[]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  return (await Promise.all(chunks(inputs, INPUTS_MAX).map(send))).flat();
}

/**
 * Sends inputs in as few calls as HubSpot takes. HubSpot refuses some batches as a whole for one bad input: such a batch is
 * divided until the bad input stands alone, which takes some 2 log2(n) calls, and all others are accepted.
 *
 * A temporary failure concerns all inputs of its call, and only them.
 *
 * @param send returns one result per input, in order; throws a `CrmFailure` that concerns all of them
 * @param divisible statuses for which one input can be the reason
 * @returns one result or failure per input, in order
 */
export function sendDivided<Input, Result>(
  inputs: readonly Input[],
  send: (inputs: readonly Input[]) => Promise<readonly (Result | CrmFailure)[]>,
  divisible: ReadonlySet<number | null> = DIVISIBLE,
): Promise<(Result | CrmFailure)[]> {
  return sendInChunks(inputs, (chunk) => sendOrDivide(chunk, send, divisible));
}

async function sendOrDivide<Input, Result>(
  inputs: readonly Input[],
  send: (inputs: readonly Input[]) => Promise<readonly (Result | CrmFailure)[]>,
  divisible: ReadonlySet<number | null>,
): Promise<(Result | CrmFailure)[]> {
  try {
    return [...(await send(inputs))];
  } catch (error) {
    if (!(error instanceof CrmFailure)) throw error;
    const { httpStatus, code } = error.error;
    const isDivided = divisible.has(httpStatus) && code !== 'forbidden' && inputs.length > 1;
    return isDivided ? await divide(inputs, send, divisible) : inputs.map(() => error);
  }
}

/** Sends a refused batch in halves. */
async function divide<Input, Result>(
  inputs: readonly Input[],
  send: (inputs: readonly Input[]) => Promise<readonly (Result | CrmFailure)[]>,
  divisible: ReadonlySet<number | null>,
): Promise<(Result | CrmFailure)[]> {
  if (inputs.length === 1) return await sendOrDivide(inputs, send, divisible);
  const middle = Math.ceil(inputs.length / 2);
  let isAccepted = true;
  const first = await sendOrDivide(
    inputs.slice(0, middle),
    async (part) => {
      try {
        return await send(part);
      } catch (error) {
        isAccepted = false;
        throw error;
      }
    },
    divisible,
  );
  // If the first half is good, the bad input is in the second one, which need not be sent whole again.
  const second = inputs.slice(middle);
  return [
    ...first,
    ...(isAccepted ? await divide(second, send, divisible) : await sendOrDivide(second, send, divisible)),
  ];
}
