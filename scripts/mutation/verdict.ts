/** The part of the mutation test's JSON report that is read here. */
export type MutationReport = {
  readonly config?: { readonly thresholds?: { readonly break?: number | null } };
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
};

type Mutant = {
  readonly mutatorName: string;
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
};

/** Both count from 1. */
type Position = { readonly line: number; readonly column: number };

export type MutationVerdict = {
  readonly ok: boolean;
  /** Score and numbers in a few words, or why there are none. */
  readonly summary: string;
  /** The mutants that no test noticed, a line each. */
  readonly survivors: readonly string[];
};

/** Fewer mutants than this, and most of what should have been changed was not. */
const FEWEST_MUTANTS = 1000;
const SHOWN_CHARACTERS = 80;

/**
 * Judges a mutation test by its score: the share of mutants that made a test fail, or never end. Those that a comment in the
 * source takes out do not count. All others were not noticed, also those that could not be run: a broken run must not look good.
 *
 * @param report null when there is none
 */
export function judgeMutation(report: MutationReport | null): MutationVerdict {
  if (report === null) return { ok: false, summary: 'no report: it did not run to its end', survivors: [] };
  const mutants = Object.entries(report.files).flatMap(([file, { source, mutants: ofFile }]) =>
    ofFile.filter(({ status }) => status !== 'Ignored').map((mutant) => ({ file, source, mutant })),
  );
  const survivors = mutants
    .filter(({ mutant }) => mutant.status !== 'Killed' && mutant.status !== 'Timeout')
    .map(({ file, source, mutant }) => describeMutant(file, source, mutant));
  if (mutants.length < FEWEST_MUTANTS) {
    return { ok: false, summary: `only ${mutants.length} mutants: not everything was looked at`, survivors };
  }
  const least = report.config?.thresholds?.break;
  if (typeof least !== 'number') return { ok: false, summary: 'no threshold to judge by', survivors };
  const score = (100 * (mutants.length - survivors.length)) / mutants.length;
  return {
    ok: score >= least,
    // Rounded down, or 89.96 would fail as "90.0 %".
    summary: `${Math.floor(score * 10) / 10} % of ${mutants.length} mutants were noticed (at least ${least} %)`,
    survivors,
  };
}

function describeMutant(file: string, source: string, { location, mutatorName, status, replacement }: Mutant): string {
  const { start, end } = location;
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column - 1) ?? '';
  lines[0] = lines[0]?.slice(start.column - 1) ?? '';
  const change = `${shorten(lines.join(' '))} -> ${shorten(replacement ?? '')}`;
  return `${file}:${start.line}:${start.column} ${status}, ${mutatorName}: ${change}`;
}

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}...`;
}
