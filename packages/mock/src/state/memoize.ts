/**
 * Caches the result of `compute` by object identity. For immutable values only, such as rows, arrays of rows and chunks of logs.
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
