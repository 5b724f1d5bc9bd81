export type HeadersLike = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/** `Headers`: names in lower case, in alphabetical order. */
export class LightHeaders {
  readonly #values = new Map<string, string[]>();

  constructor(init: HeadersLike = []) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init)) this.append(name, value);
  }

  append(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [...(this.#values.get(name.toLowerCase()) ?? []), trim(value)]);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [trim(value)]);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  getSetCookie(): string[] {
    return [...(this.#values.get('set-cookie') ?? [])];
  }

  forEach(use: (value: string, name: string) => void): void {
    for (const [name, value] of this) use(value, name);
  }

  *keys(): Generator<string, void, undefined> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string, void, undefined> {
    for (const [, value] of this) yield value;
  }

  *entries(): Generator<[string, string], void, undefined> {
    for (const name of [...this.#values.keys()].toSorted()) {
      const values = this.#values.get(name) ?? [];
      // Cookies have commas of their own.
      for (const value of name === 'set-cookie' ? values : [values.join(', ')]) yield [name, value];
    }
  }

  [Symbol.iterator](): Generator<[string, string], void, undefined> {
    return this.entries();
  }
}

function trim(value: string): string {
  return String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
}
