/**
 * The V8 flag of processes that end soon. V8 optimizes the embedded database's largest functions at once, which takes seconds that a
 * process waits for when it ends. A short command pays that for nothing (4.3 s instead of 1.9 s on two cores, and twice the memory), so
 * with this flag only a hundred times as much work makes it worth optimizing. The server keeps V8's own value.
 */
export const POSTPONED_OPTIMIZATION = '--wasm-tiering-budget=1300000000';
