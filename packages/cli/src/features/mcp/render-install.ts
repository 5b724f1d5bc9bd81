import type { Paint } from '../../terminal/colors.ts';
import { sanitize } from '../../terminal/text.ts';
import type { ClientOutcome } from './install.ts';
import type { ClientPlan } from './install-plan.ts';

const DONE = { add: 'Added to', update: 'Updated in', remove: 'Removed from' } as const;
const TO_DO = { add: 'add svc to', update: 'update svc in', remove: 'remove svc from' } as const;

/** Renders what is to be done in each client. */
export function renderPlans(outcomes: readonly ClientOutcome[], isRemoval: boolean, paint: Paint): string {
  return outcomes
    .map(({ title, plan, error }) => {
      const lines =
        plan === null
          ? [`${title}: ${error?.message ?? ''}`, ...(error?.hint ?? '').split('\n')]
          : planLines(plan, isRemoval);
      const [first = '', ...others] = lines.filter((line) => line !== '').map(sanitize);
      const painted = others.map((line) => `  ${paintLine(line, paint)}\n`);
      return `${paint(plan === null ? 'bad' : 'strong', first)}\n${painted.join('')}`;
    })
    .join('\n');
}

function planLines(plan: ClientPlan, isRemoval: boolean): string[] {
  const { title, file, key, kind, change, diff, commands, snippet } = plan;
  if (kind === 'manual') {
    if (snippet === null) return [`${title}: take ${key} out of ${file}, if it is there`];
    return [`${title}: put this into ${file}`, ...snippet.split('\n')];
  }
  if (change === null) return [`${title}: nothing to do, svc is ${isRemoval ? 'not ' : ''}in ${file}`];
  return [`${title}: ${TO_DO[change]} ${file}`, ...diff, ...commands.map((line) => `$ ${line}`)];
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('+ ')) return paint('good', line);
  return line.startsWith('- ') ? paint('bad', line) : line;
}

/** Returns a sentence for each client that was changed, or could not be. */
export function resultLines(outcomes: readonly ClientOutcome[]): string[] {
  return outcomes.flatMap(({ title, plan, error, isApplied, backup }) => {
    if (plan?.kind !== 'change' || plan.change === null) return [];
    if (error !== null) return [`${title}: ${error.message}`, ...(error.hint === null ? [] : [error.hint])];
    if (!isApplied) return [];
    const copy = backup === null ? '' : ` The file before it is ${backup}.`;
    return [`${DONE[plan.change]} ${title}.${copy}${plan.afterwards === null ? '' : ` ${plan.afterwards}`}`];
  });
}
