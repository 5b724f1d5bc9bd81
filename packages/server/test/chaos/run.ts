/** `npm run chaos -- --seed 7 --events 2000`: a chaos run, or `--seeds N` of them from this seed on. Ends with 1 when one failed. */
import { parseArgs } from 'node:util';
import { runSeeds } from './chaos.ts';
import { whyNoChaos } from './cluster.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    events: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '4' },
  },
});
const [first, seeds, events, rounds] = [values.seed, values.seeds, values.events, values.rounds].map(Number);
if (first === undefined || !seeds || !events || rounds === undefined || Number.isNaN(first + seeds + events + rounds)) {
  throw new Error('--seed, --seeds, --events and --rounds take numbers.');
}
// The exit removes namespaces, disks and databases; a signal alone would leave them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const missing = whyNoChaos();
if (missing !== null) console.log(`Links and disks do not fail in this run, because ${missing} is missing.`);
const failed = await runSeeds(
  Array.from({ length: seeds }, (_, index) => first + index),
  { events, rounds, log: (line) => console.log(line) },
  { diskMb: 256 + Math.ceil(events / 50) },
);
console.log(failed.length === 0 ? `All of ${seeds} seeds hold.` : `Seeds that failed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
