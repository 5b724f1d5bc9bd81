import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';

/** A measured contender. */
export type Row = {
  readonly what: string;
  /** One number per round, in the unit of the result. */
  readonly samples: readonly number[];
};

export type Result = {
  /** A short description of what all rows did. */
  readonly title: string;
  /** For example `ms` or `requests/s`. */
  readonly unit: string;
  /** The row that the others are compared with: a peer, or the least that is possible. */
  readonly floor: string;
  readonly rows: readonly Row[];
};

export type BenchOptions = {
  /** How long it measures; only `soak` has a use for it. Default: its own. */
  readonly minutes?: number;
  /** How many rows it makes; only `years` and `person` have a use for it. Default: its own. */
  readonly rows?: number;
};

/** A benchmark; `bench/<name>.bench.ts` exports it as `bench`. */
export type Bench = {
  readonly name: string;
  readonly question: string;
  /** What a reader must know to compare the contenders. */
  readonly notes?: readonly string[];
  run(options: BenchOptions): Promise<Result[]>;
};

/**
 * Runs every contender once per round in a rotating order, so that a slowdown of the machine affects all of them, and
 * none always follows the same one.
 *
 * @param contenders each runs once and returns its number
 * @param warmups rounds before, which are not counted
 */
export async function interleave(
  rounds: number,
  contenders: Readonly<Record<string, () => number | Promise<number>>>,
  warmups = 1,
): Promise<Row[]> {
  const entries = Object.entries(contenders);
  const samples = new Map<string, number[]>(entries.map(([what]) => [what, []]));
  for (let round = -warmups; round < rounds; round += 1) {
    const shift = (round + warmups) % entries.length;
    for (const [what, measure] of [...entries.slice(shift), ...entries.slice(0, shift)]) {
      const value = await measure();
      if (round >= 0) samples.get(what)?.push(value);
    }
  }
  return entries.map(([what]) => ({ what, samples: samples.get(what) ?? [] }));
}

/** @returns NaN for an empty list */
function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export type Summary = {
  readonly what: string;
  readonly median: number;
  readonly ratio: number;
  readonly difference: number;
};

/** @throws Error when the floor is not among the rows, or a row has no samples */
export function summarise({ rows, floor }: Result): Summary[] {
  const base = rows.find((row) => row.what === floor);
  if (base === undefined) throw new Error(`no row is called ${floor}`);
  const floorMedian = median(base.samples);
  return rows.map(({ what, samples }) => {
    if (samples.length === 0) throw new Error(`${what} was never measured`);
    const value = median(samples);
    return { what, median: value, ratio: value / floorMedian, difference: value - floorMedian };
  });
}

/** Returns a Markdown table; times also show their difference to the floor. */
export function formatResult(result: Result): string {
  const withDifference = result.unit === 'ms';
  const header = [
    'what',
    `median (${result.unit})`,
    `ratio to ${result.floor}`,
    ...(withDifference ? ['over it (ms)'] : []),
  ];
  const lines = summarise(result).map((row) => [
    row.what,
    formatNumber(row.median),
    row.ratio.toFixed(2),
    ...(withDifference ? [row.what === result.floor ? '' : signed(row.difference)] : []),
  ]);
  const widths = header.map((cell, index) => Math.max(cell.length, ...lines.map((line) => (line[index] ?? '').length)));
  const format = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => (index === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const rounds = Math.min(...result.rows.map((row) => row.samples.length));
  return [`${result.title} (${rounds} interleaved rounds)`, '', format(header), rule, ...lines.map(format)].join('\n');
}

export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}

function formatNumber(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${formatNumber(value)}`;
}
