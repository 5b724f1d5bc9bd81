/** Removes one row: first the server says what would go with it and what stays, then the user confirms. */
import type { AdminInput, AdminOperationName } from '@svc/operations/perform';
import { useState } from 'react';
import { DashboardError } from '../data/http.ts';
import { perform, usePerform } from '../data/operations.ts';
import { useIsAdmin } from '../data/session.tsx';
import { useToasts } from '../parts/toast.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { CommandHint } from './command-hint.tsx';

type Removal = Extract<AdminOperationName, `${string}/remove`>;

/** @param what for people: `key 3` */
export function RemoveButton({
  operation,
  id,
  what,
  isSmall,
  onDone,
}: {
  operation: Removal;
  id: number;
  what: string;
  isSmall?: boolean;
  onDone?: () => void;
}) {
  const [plan, setPlan] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isAdmin = useIsAdmin();
  const toasts = useToasts();
  const remove = usePerform(operation, { done: `The ${what} is removed.` });
  if (!isAdmin) return null;

  const ask = async () => {
    setAsking(true);
    try {
      await perform(operation, { id } as AdminInput<Removal>);
    } catch (error) {
      if (error instanceof DashboardError && error.code === 'not_confirmed') {
        // The end of the sentence is for the command line.
        setPlan(error.message.replace(/ Nothing is removed yet: .*$/, ''));
      } else toasts.warn(error instanceof Error ? error.message : String(error));
    } finally {
      setAsking(false);
    }
  };
  const confirm = () =>
    remove.mutate({ id, isConfirmed: true } as AdminInput<Removal>, {
      onSuccess: () => {
        setPlan(null);
        onDone?.();
      },
    });

  return (
    <>
      <Button isSmall={isSmall} isBusy={isAsking} onClick={() => void ask()}>
        Remove …
      </Button>
      <Dialog title={`Remove the ${what}?`} description={plan} isOpen={plan !== null} onClose={() => setPlan(null)}>
        <CommandHint operation={operation} input={{ id, isConfirmed: true } as AdminInput<Removal>} />
        <DialogActions>
          <Button onClick={() => setPlan(null)}>Cancel</Button>
          <Button kind="danger" isBusy={remove.isPending} onClick={confirm}>
            Remove
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
