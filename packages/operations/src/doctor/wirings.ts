/** The doctor's look at the webhooks that `sources connect` registered: whether they still post what a source needs. It changes none of them. */
import { listWiringWork, storeWiringCheck, type WiringWork } from '@svc/engine/store/source-wirings';
import { checkWiring, type WiringVerdict } from '@svc/engine/wiring/wiring';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, pass, warn } from './check.ts';

const NAME = 'webhooks at sequencers';
/** More would take longer than a caller waits. The daily checks look at the others. */
const ASKED_MAX = 20;
const AT_A_TIME = 10;
const LISTED_MAX = 1_000;

/** Returns one line for each source whose webhooks differ, and one for all that are right. */
export async function checkWirings(ctx: AdminContext): Promise<Check[]> {
  const wirings = await listWiringWork(ctx.db, { limit: LISTED_MAX });
  const asked = wirings.slice(0, ASKED_MAX);
  const verdicts: WiringVerdict[] = [];
  for (let from = 0; from < asked.length; from += AT_A_TIME) {
    const batch = asked.slice(from, from + AT_A_TIME);
    verdicts.push(...(await Promise.all(batch.map((wiring) => look(ctx, wiring)))));
  }
  const problems = wirings.flatMap((wiring, index) => toProblem(wiring, verdicts[index]));
  const right = wirings.length - problems.length;
  return [...(right === 0 ? [] : [pass(NAME, `post what the sources need: ${right}`)]), ...problems];
}

async function look(ctx: AdminContext, wiring: WiringWork): Promise<WiringVerdict> {
  const verdict = await checkWiring(ctx, wiring);
  if (verdict.status === 'checked') {
    await storeWiringCheck(ctx.db, wiring, { at: ctx.clock.now(), error: verdict.error });
  }
  return verdict;
}

/** @param verdict undefined when the sequencer was not asked now */
function toProblem({ sourceId, platform, error: before, checkedAt }: WiringWork, verdict?: WiringVerdict): Check[] {
  const which = `source ${sourceId} (${platform})`;
  if (verdict?.status === 'unknown') {
    const fix = 'Check that this machine reaches the sequencer, then run svc-server doctor again.';
    return [warn(NAME, `${which}: not checked: ${verdict.reason}`, fix)];
  }
  const error = verdict === undefined ? before : verdict.error;
  if (error === null) return [];
  const since = verdict === undefined ? `, at ${checkedAt.toISOString()}` : '';
  return [warn(NAME, `${which}: ${error}${since}`, `svc-server sources connect ${sourceId} mends it.`)];
}
