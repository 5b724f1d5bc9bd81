/** Values of samples by name with labels, as printed. */
export type Scrape = Map<string, number>;

export function parseScrape(text: string): Scrape {
  const samples = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', value = ''] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (samples.has(name)) throw new Error(`sent twice: ${line}`);
    samples.set(name, Number(value));
  }
  return samples;
}

/** Returns by how much the samples of a metric have grown, by labels, without those that have not grown. */
export function growthOf(before: Scrape, after: Scrape, metric: string): Record<string, number> {
  const prefix = `${metric}{`;
  return Object.fromEntries(
    [...after].flatMap(([name, value]) => {
      const grown = value - (before.get(name) ?? 0);
      return name.startsWith(prefix) && grown !== 0 ? [[name.slice(prefix.length, -1), grown]] : [];
    }),
  );
}

export function sum(numbers: Record<string, number>): number {
  return Object.values(numbers).reduce((total, value) => total + value, 0);
}
