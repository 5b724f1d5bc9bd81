/** A step of `build`, `check` or `generate`. */
export type Step = {
  readonly name: string;
  /** A rejection counts as a failure. */
  run(): Promise<StepOutcome>;
};

export type StepOutcome = {
  readonly ok: boolean;
  /** Shown in full when the step failed. */
  readonly output: string;
  /** Shown after the duration: how much was checked, or why nothing was. */
  readonly note?: string;
  /** Nothing had to be done. */
  readonly unchanged?: boolean;
};

export type StepResult = { readonly name: string; readonly ok: boolean };

/**
 * Runs independent steps, two at a time by default. Prints a line for each on stdout when it ends, and the output of failed ones on stderr.
 */
export async function runSteps(
  steps: readonly Step[],
  options: { readonly hideUnchanged?: boolean; readonly concurrency?: number } = {},
): Promise<StepResult[]> {
  const width = Math.max(...steps.map((step) => step.name.length));
  const results: StepResult[] = [];
  const waiting = [...steps];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const started = performance.now();
      const outcome = await outcomeOf(step);
      const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
      const note = outcome.note === undefined || outcome.note === '' ? '' : `  ${outcome.note}`;
      if (!(outcome.ok && outcome.unchanged === true && options.hideUnchanged === true)) {
        process.stdout.write(`${outcome.ok ? 'ok    ' : 'FAILED'} ${step.name.padEnd(width)} ${seconds} s${note}\n`);
      }
      if (!outcome.ok) process.stderr.write(`${indent(outcome.output.trimEnd())}\n`);
      results.push({ name: step.name, ok: outcome.ok });
    }
  };
  await Promise.all(Array.from({ length: options.concurrency ?? 2 }, work));
  return results;
}

async function outcomeOf(step: Step): Promise<StepOutcome> {
  try {
    return await step.run();
  } catch (error) {
    return { ok: false, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  | ');
}
