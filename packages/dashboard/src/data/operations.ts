/** The operations of `svc-server`, as queries and mutations of the page. */
import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/perform';
import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useToasts } from '../parts/toast.tsx';
import { call } from './http.ts';
import { refreshAll } from './refresh.ts';

export type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/perform';

/** Performs an operation. @throws DashboardError */
export async function perform<Name extends AdminOperationName>(
  name: Name,
  input: AdminInput<Name>,
): Promise<AdminResult<Name>> {
  const { result } = await call<{ result: AdminResult<Name> }>('POST', `operations/${name}`, input);
  return result;
}

function operationKey<Name extends AdminOperationName>(name: Name, input: AdminInput<Name>): QueryKey {
  return ['operation', name, input];
}

/**
 * Reads an operation. Changes of any operation and live events refresh it.
 *
 * @param options.refetchesByItself false for an operation that calls others, such as CRMs. Default true
 * @param options.keepsPrevious whether the result for the input before is shown until there is one for this input. Default false
 */
export function useOperation<Name extends AdminOperationName>(
  name: Name,
  input: AdminInput<Name>,
  {
    refetchesByItself = true,
    keepsPrevious = false,
    ...options
  }: {
    enabled?: boolean;
    refetchInterval?: number | false;
    refetchesByItself?: boolean;
    keepsPrevious?: boolean;
  } = {},
) {
  return useQuery({
    queryKey: operationKey(name, input),
    queryFn: () => perform(name, input),
    ...(refetchesByItself ? {} : { meta: { isLive: false }, staleTime: Infinity }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    ...options,
  });
}

/**
 * Performs an operation that changes something, then refreshes what the page shows.
 *
 * @param options.done what a toast says afterwards. Default: none
 * @param options.showsErrors whether the caller shows errors itself. Default: a toast shows them
 */
export function usePerform<Name extends AdminOperationName>(
  name: Name,
  options: { done?: string | ((result: AdminResult<Name>) => string); showsErrors?: boolean } = {},
) {
  return useChange((input: AdminInput<Name>) => perform(name, input), options);
}

/** The same for any other call that changes something, such as one of the SDK. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  options: { done?: string | ((result: Result) => string); showsErrors?: boolean } = {},
) {
  const queries = useQueryClient();
  const toasts = useToasts();
  return useMutation({
    mutationFn: change,
    onSuccess: async (result) => {
      const { done } = options;
      if (done !== undefined) toasts.say(typeof done === 'function' ? done(result) : done);
      await refreshAll(queries);
    },
    onError: (error) => {
      if (options.showsErrors !== true) toasts.warn(error.message);
    },
  });
}
