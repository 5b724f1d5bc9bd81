import { setFlagsFromString } from 'node:v8';

/**
 * The V8 flag of processes that end soon. V8 optimizes the embedded database's largest functions at once, which takes seconds that a
 * process waits for when it ends. A short command pays that for nothing (4.3 s instead of 1.9 s on two cores, and twice the memory), so
 * with this flag only a hundred times as much work makes it worth optimizing. The server keeps V8's own value.
 */
export const POSTPONED_OPTIMIZATION = '--wasm-tiering-budget=1300000000';

let endsSoon = false;

/** Says that this process is a short command. */
export function postponeOptimization(): void {
  endsSoon = true;
}

/**
 * Sets the flag in a short command, once its modules are loaded: compiled code in Node's cache is valid only under the same flags, so an
 * earlier change would make the server and the commands refuse each other's.
 */
export function applyPostponedOptimization(): void {
  if (endsSoon) setFlagsFromString(POSTPONED_OPTIMIZATION);
}
