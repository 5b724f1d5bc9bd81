/** Loaded into another process with `--import`: at its end it writes its peak memory to the file of `BENCH_PEAK_FILE`. */
import { writeFileSync } from 'node:fs';

const file = process.env.BENCH_PEAK_FILE;
process.on('exit', () => {
  // In kilobytes.
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
