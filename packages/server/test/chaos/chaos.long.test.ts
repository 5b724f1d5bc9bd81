/** Chaos runs of many seeds, with all faults: 2 api, 2 inbound and 3 worker processes, and PostgreSQL with a synchronous standby. */
import { expect, inject, test } from 'vitest';
import { leaveOut } from '../../../../scripts/vitest/lacking.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { runSeeds } from './chaos.ts';
import { whyNoChaos } from './cluster.ts';

/** So many seeds that their schedules have every kind of fault. `npm run chaos` takes any seeds. */
const FULL = 5;
const KINDS = [
  ...['SIGKILL api', 'SIGKILL wor', 'SIGSTOP', 'clock of', 'link of wor', 'link of api'],
  ...[
    'SIGKILL of the primary',
    'SIGINT of the primary',
    'is promoted',
    'standby is away',
    'link of the primary',
    'disk of',
  ],
];
const SEEDS = Array.from({ length: sized(FULL) }, (_, index) => index + 1);

/** Returns whether all faults are possible here. In CI they must be. */
function canRun(): boolean {
  const missing = inject('databaseUrl') === null ? 'PostgreSQL' : whyNoChaos();
  if (missing === null) return true;
  leaveOut({
    what: missing,
    untested: 'faults of several servers',
    remedy: 'run .ci/run as root',
  });
  return false;
}

test.runIf(canRun())(
  `nothing is lost and nothing is doubled with ${SEEDS.length} seeds`,
  async () => {
    const lines: string[] = [];
    const failed = await runSeeds(SEEDS, { events: 200, rounds: 2, log: (line) => lines.push(line) });
    // The protocol says which seeds failed, why, and how to repeat them.
    expect(failed.length === 0 ? [] : lines.join('\n')).toEqual([]);
    const missing = KINDS.filter((kind) => !lines.some((line) => line.includes(kind)));
    if (SEEDS.length === FULL) expect(missing).toEqual([]);
  },
  1_200_000,
);
