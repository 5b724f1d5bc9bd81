import type { QueryClient } from '@tanstack/react-query';

/**
 * Reads again what the page shows of operations and of the API.
 *
 * @param options.isLive true leaves out what is read only when somebody asks for it. Default false
 */
export function refreshAll(queries: QueryClient, { isLive = false }: { isLive?: boolean } = {}): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [kind], meta }) =>
      (kind === 'operation' || kind === 'api') && !(isLive && meta?.['isLive'] === false),
  });
}
