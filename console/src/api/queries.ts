import { hashKey, keepPreviousData, QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type Call, call, callWithTag, type Operation, type Reply } from './client.ts';
import { ApiError, ConnectionLost } from './errors.ts';
import { sessionKey } from './session.ts';

/** What was read is shown again at once and asked for anew; a refusal is not asked again, a lost connection is. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      networkMode: 'always',
      retry: (count, error) => error instanceof ConnectionLost && count < 30,
      retryDelay: (count) => Math.min(1_000 * 2 ** count, 5_000),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

queryClient.getQueryCache().subscribe(({ type, query }) => {
  const error: unknown = query.state.error;
  if (
    type === 'updated' &&
    error instanceof ApiError &&
    error.status === 401 &&
    query.queryHash !== hashKey(sessionKey)
  )
    queryClient.setQueryData(sessionKey, null); // signed out elsewhere
});

export interface ReadOptions {
  /** Asks again after so many milliseconds. */
  readonly every?: number | false;
  readonly enabled?: boolean;
  /** Shows the answer before while the next one is on its way. */
  readonly keeps?: boolean;
}

/** Reads by an operation of the API. */
export function useRead<O extends Operation>(
  operation: O,
  options: Call<O> = {},
  { every, enabled = true, keeps }: ReadOptions = {},
) {
  return useQuery<Reply<O>>({
    queryKey: [operation, options.path ?? null, options.query ?? null],
    queryFn: ({ signal }) => call(operation, { ...options, signal }),
    enabled,
    ...(every !== undefined && { refetchInterval: every }),
    ...(keeps && { placeholderData: keepPreviousData as never }),
  });
}

/** Reads one resource with the tag of its state, for a change of it. */
export function useTagged<O extends Operation>(
  operation: O,
  options: Call<O>,
  { enabled = true }: Pick<ReadOptions, 'enabled'> = {},
) {
  return useQuery({
    queryKey: ['tagged', operation, options.path ?? null],
    queryFn: ({ signal }) => callWithTag(operation, { ...options, signal }),
    staleTime: 0,
    enabled,
  });
}

/**
 * Changes something by an operation of the API. A second press while the first is on its way has the same
 * Idempotency-Key, so it changes nothing. Afterwards all that is on the screen is read anew.
 */
export function useDeed<O extends Operation>(operation: O) {
  const client = useQueryClient();
  const key = useRef<string>(undefined);
  return useMutation({
    mutationFn: (options: Call<O>) => {
      key.current ??= crypto.randomUUID();
      return call(operation, { ...options, ...(operation.startsWith('POST') && { idempotencyKey: key.current }) });
    },
    onSuccess: () => client.invalidateQueries(),
    onSettled: (_value, error) => {
      if (!(error instanceof ConnectionLost)) key.current = undefined; // an answer came: the next press is a new deed
    },
  });
}
