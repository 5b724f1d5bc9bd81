/**
 * Remembers what `compute` makes of a value for as long as the value lives. For immutable values only: rows, arrays of rows,
 * chunks of logs. Worlds share them, so they share what is remembered too.
 */
export function memoize<Value extends object, Result>(compute: (value: Value) => Result): (value: Value) => Result {
  const known = new WeakMap<Value, Result>();
  return (value) => {
    let result = known.get(value);
    if (result === undefined) {
      result = compute(value);
      known.set(value, result);
    }
    return result;
  };
}
