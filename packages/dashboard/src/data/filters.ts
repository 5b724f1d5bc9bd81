/** Filters that are in the address of the page, so that an address can be shared. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

/**
 * Returns the filters of the address, and what changes them. A change replaces the entry of the history, so that "back" leaves the page.
 *
 * @param names the filters of the page; others in the address stay
 */
export function useFilters<const Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const values = useMemo(() => {
    const current = new URLSearchParams(text);
    return Object.fromEntries(names.map((name) => [name, current.get(name) ?? ''])) as Record<Name, string>;
    // The names of a page are constant.
  }, [text]);
  const set = useCallback(
    (changes: Partial<Record<Name, string>>) =>
      setParams(
        (previous) => {
          const next = new URLSearchParams(previous);
          for (const [name, value] of Object.entries<string | undefined>(changes)) {
            if (value === undefined || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );
  const clear = useCallback(
    () => set(Object.fromEntries(names.map((name) => [name, ''])) as Partial<Record<Name, string>>),
    [set],
  );
  return { values, set, clear, isFiltered: names.some((name) => values[name] !== '') };
}
