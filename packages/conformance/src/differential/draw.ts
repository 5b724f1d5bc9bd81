import fc from 'fast-check';

/** Draws random values one after the other, for code that builds worlds and steps. */
export interface Draw {
  /** Returns a whole number from 0 to `limit` (excluded). */
  readonly number: (limit: number) => number;
  /** Returns true with the given probability. */
  readonly maybe: (percent: number) => boolean;
  /** Returns an element of a list that is not empty. */
  readonly pick: <Each>(all: readonly Each[]) => Each;
  readonly value: <Value>(arbitrary: fc.Arbitrary<Value>) => Value;
}

/** Turns a function that draws its values into an arbitrary. */
export function drawn<Value>(build: (draw: Draw) => Value): fc.Arbitrary<Value> {
  const arbitrary = fc.gen().map((generate) => {
    const number = (limit: number) => generate(fc.integer, { min: 0, max: limit - 1 });
    return build({
      number,
      maybe: (percent) => number(100) < percent,
      pick: (all) => {
        const picked = all.slice(number(all.length))[0];
        if (picked === undefined) throw new Error('There is nothing to pick from.');
        return picked;
      },
      value: (inner) => generate(() => inner),
    });
  });
  return fc.noBias(arbitrary);
}

/** Returns the value that follows from a seed. */
export function drawOnce<Value>(seed: number, build: (draw: Draw) => Value): Value {
  const [value] = fc.sample(drawn(build), { seed, numRuns: 1 });
  if (value === undefined) throw new Error('Nothing was drawn.');
  return value;
}
