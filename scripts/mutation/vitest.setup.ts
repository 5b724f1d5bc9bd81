import * as fc from 'fast-check';

// The same examples for every mutant, or the score would change from run to run. Shrinking a failure would only take time.
fc.configureGlobal({ seed: 1, endOnFailure: true });
