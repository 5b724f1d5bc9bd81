/** Shows how many there are, and the first of them. */
export function some(what: string, wrong: readonly unknown[]): string[] {
  return wrong.length === 0 ? [] : [`${wrong.length} ${what}: ${JSON.stringify(wrong.slice(0, 5))}`];
}
