/** Calls one thing after another, can be stopped, and says how far it is. */

export interface EachProgress {
  readonly done: number;
  readonly total: number;
  /** What was refused, with the reason; the others continue. */
  readonly refused: readonly { readonly id: string | number; readonly message: string }[];
}

/** Status of refusals that concern one row only. */
const OF_ONE_ROW = [404, 409];

/** @throws the first error that concerns all rows, such as a missing role. Nothing is called after `signal` fired. */
export async function runEach<Id extends string | number>(
  ids: readonly Id[],
  call: (id: Id) => PromiseLike<unknown>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: EachProgress) => void },
): Promise<void> {
  const refused: { id: Id; message: string }[] = [];
  let done = 0;
  for (const id of ids) {
    if (signal.aborted) return;
    try {
      await call(id);
      done += 1;
    } catch (error) {
      if (!(error instanceof Error) || !('status' in error) || !OF_ONE_ROW.includes(Number(error.status))) throw error;
      refused.push({ id, message: error.message });
    }
    onProgress({ done, total: ids.length, refused: [...refused] });
  }
}
