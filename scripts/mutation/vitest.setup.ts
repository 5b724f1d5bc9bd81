import * as fc from 'fast-check';

// The same chance for every mutant and every run, or the score would move by itself. And a failure is enough: nobody reads
// the smallest example of it.
fc.configureGlobal({ seed: 1, endOnFailure: true });
