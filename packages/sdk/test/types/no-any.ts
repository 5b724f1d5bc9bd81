/** Whether a type is `any`, which types of the SDK must not contain. */
export type IsAny<Type> = 0 extends 1 & Type ? true : false;

/** Types of the runtime, which contain `any`. */
type Foreign = Date | Response | AbortSignal;

/** Paths at which a type is `any`, as text, down to five levels; `never` when there are none. */
export type PathsToAny<Type, Path extends string = '', Depth extends 0[] = []> =
  IsAny<Type> extends true
    ? Path extends ''
      ? 'itself'
      : Path
    : Depth['length'] extends 5
      ? never
      : Type extends Foreign
        ? never
        : Type extends AsyncGenerator<infer Row, void, undefined>
          ? PathsToAny<Row, `${Path}[]`, [...Depth, 0]>
          : Type extends (...args: infer Args) => infer Result
            ?
                | PathsToAny<Args, `${Path}(arguments)`, [...Depth, 0]>
                | PathsToAny<Awaited<Result>, `${Path}()`, [...Depth, 0]>
            : Type extends readonly (infer Item)[]
              ? PathsToAny<Item, `${Path}[]`, [...Depth, 0]>
              : Type extends object
                ? {
                    [Key in keyof Type & string]-?: PathsToAny<Type[Key], `${Path}.${Key}`, [...Depth, 0]>;
                  }[keyof Type & string]
                : never;

/** Required keys. */
export type RequiredKeys<Type> = {
  [Key in keyof Type]-?: Record<never, never> extends Pick<Type, Key> ? never : Key;
}[keyof Type];
