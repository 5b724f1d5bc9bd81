/** Repeats many rows of a log: first it says how many, then it shows how far it is and can be stopped. */
import { type ReactNode, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { refreshAll } from '../../data/refresh.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/page.tsx';
import { type EachProgress, runEach } from './run-each.ts';

export interface Found<Id> {
  readonly ids: readonly Id[];
  /** What else the preview says, such as what is left out and why. */
  readonly note?: string;
}

type State<Id> =
  | { step: 'looking' }
  | { step: 'found'; found: Found<Id> }
  | { step: 'running' | 'ended'; progress: EachProgress }
  | { step: 'failed'; message: string; progress: EachProgress | null };

export function RepeatButton<Id extends string | number>({
  label,
  title,
  action,
  find,
  repeat,
  onEnd,
  hint,
}: {
  label: string;
  title: string;
  /** The verb of the button that begins: `Retry`. */
  action: string;
  /** Returns what would be repeated. */
  find: (signal: AbortSignal) => Promise<Found<Id>>;
  repeat: (id: Id) => PromiseLike<unknown>;
  onEnd?: () => void;
  hint?: ReactNode;
}) {
  const [state, setState] = useState<State<Id> | null>(null);
  const stop = useRef(new AbortController());
  const queries = useQueryClient();

  const look = async () => {
    const { signal } = (stop.current = new AbortController());
    setState({ step: 'looking' });
    try {
      const found = await find(signal);
      if (!signal.aborted) setState({ step: 'found', found });
    } catch (error) {
      if (!signal.aborted) setState({ step: 'failed', message: messageOf(error), progress: null });
    }
  };
  const run = async (ids: readonly Id[]) => {
    const { signal } = stop.current;
    let progress: EachProgress = { done: 0, total: ids.length, refused: [] };
    setState({ step: 'running', progress });
    try {
      await runEach(ids, repeat, {
        signal,
        onProgress: (each) => {
          progress = each;
          setState({ step: 'running', progress });
        },
      });
      setState({ step: 'ended', progress });
    } catch (error) {
      setState({ step: 'failed', message: messageOf(error), progress });
    }
    void refreshAll(queries);
  };
  const close = () => {
    stop.current.abort();
    if (state?.step === 'ended') onEnd?.();
    setState(null);
  };

  return (
    <>
      <Button onClick={() => void look()}>{label}</Button>
      <Dialog title={title} isOpen={state !== null} onClose={close}>
        {state?.step === 'looking' && <p role="status">Looking how many there are …</p>}
        {state?.step === 'found' && (
          <p role="status">
            {state.found.ids.length.toLocaleString('en')} would be repeated. {state.found.note}
          </p>
        )}
        {(state?.step === 'running' || state?.step === 'ended') && <Progress progress={state.progress} />}
        {state?.step === 'ended' && stop.current.signal.aborted && <p>Stopped. What is queued stays queued.</p>}
        {state?.step === 'failed' && (
          <>
            <Notice tone="bad">{state.message}</Notice>
            {state.progress !== null && <Progress progress={state.progress} />}
          </>
        )}
        {hint}
        <DialogActions>
          {state?.step === 'running' ? (
            <Button onClick={() => stop.current.abort()}>Stop</Button>
          ) : (
            <Button onClick={close}>{state?.step === 'found' ? 'Cancel' : 'Close'}</Button>
          )}
          {state?.step === 'found' && (
            <Button kind="primary" disabled={state.found.ids.length === 0} onClick={() => void run(state.found.ids)}>
              {action}
            </Button>
          )}
        </DialogActions>
      </Dialog>
    </>
  );
}

/** Repeats the rows that are chosen; shows nothing without any. @param what they are, for people: `syncs` */
export function RepeatChosen<Id extends string | number>({
  action,
  what,
  chosen,
  repeat,
  onEnd,
}: {
  action: string;
  what: string;
  chosen: ReadonlySet<Id>;
  repeat: (id: Id) => PromiseLike<unknown>;
  onEnd: () => void;
}) {
  if (chosen.size === 0) return null;
  return (
    <RepeatButton
      label={`${action} ${chosen.size} chosen`}
      title={`${action} the chosen ${what}`}
      action={action}
      find={async () => ({ ids: [...chosen] })}
      repeat={repeat}
      onEnd={onEnd}
    />
  );
}

function Progress({ progress: { done, total, refused } }: { progress: EachProgress }) {
  return (
    <>
      <progress aria-label="Progress" max={total} value={done + refused.length} />
      <p role="status">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} queued
        {refused.length > 0 && `, ${refused.length.toLocaleString('en')} refused`}.
      </p>
      {refused.slice(0, 5).map(({ id, message }) => (
        <p key={id}>
          {id}: {message}
        </p>
      ))}
    </>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
