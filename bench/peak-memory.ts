/** Loaded into another process with `--import`: at its end it says in the file of `BENCH_PEAK_FILE` how much memory it had at most. */
import { writeFileSync } from 'node:fs';

const file = process.env.BENCH_PEAK_FILE;
process.on('exit', () => {
  // Kilobytes.
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
