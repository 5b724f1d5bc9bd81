import { findIntegrityProblems } from './integrity.ts';
import type { WorldProblem } from './integrity-references.ts';
import { type World, worldSchema } from './schema.ts';

const PROBLEMS_SHOWN = 20;

/** The error of {@link parseWorld}. `problems` holds all problems, the message the first twenty. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
  readonly problems: readonly WorldProblem[];

  constructor(problems: readonly WorldProblem[]) {
    const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `  ${problem.path}: ${problem.message}`);
    const rest = problems.length - shown.length;
    super(
      [
        `The world is not valid (${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}):`,
        ...shown,
        ...(rest > 0 ? [`  ... and ${rest} more`] : []),
      ].join('\n'),
    );
    this.problems = problems;
  }
}

/**
 * Parses a world: checks each row first, then the rows against each other.
 * @param json the parsed JSON document
 * @throws WorldError that lists every problem with its path
 */
export function parseWorld(json: unknown): World {
  const parsed = worldSchema.safeParse(json);
  if (!parsed.success) {
    throw new WorldError(
      parsed.error.issues.map((issue) => ({ path: formatPath(issue.path), message: issue.message })),
    );
  }
  const problems = findIntegrityProblems(parsed.data);
  if (problems.length > 0) {
    throw new WorldError(problems);
  }
  return parsed.data;
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text === '' ? '(world)' : text.replace(/^\./, '');
}
