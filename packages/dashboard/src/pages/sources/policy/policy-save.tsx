import { useState } from 'react';
import { type AdminInput, usePerform } from '../../../data/operations.ts';
import { Button } from '../../../parts/button.tsx';
import { Difference } from '../../../parts/difference.tsx';
import { ConfirmButton, Dialog, DialogActions } from '../../../parts/dialog.tsx';
import { Notice } from '../../../parts/page.tsx';
import type { PolicyOwner } from './policy-document.ts';

/** Sets a policy, or null to remove it; says what the server has to say of it. */
function useSetPolicy({ kind, id }: PolicyOwner) {
  const done = ({ version, notices }: { version: number; notices: readonly string[] }) =>
    [`Version ${version} holds from now on.`, ...notices].join(' ');
  const ofSource = usePerform('sources/set-policy', { done, showsErrors: true });
  const ofConnection = usePerform('connections/set-policy', { done, showsErrors: true });
  const { mutateAsync, isPending, error, reset } = kind === 'source' ? ofSource : ofConnection;
  const set = (policy: AdminInput<'sources/set-policy'>['policy']) => mutateAsync({ id, policy });
  return { set, isPending, error, reset };
}

/** Shows what differs from the version that holds, then saves. */
export function SavePolicy({
  owner,
  saved,
  text,
  canSave,
  onSaved,
}: {
  owner: PolicyOwner;
  saved: string;
  text: string;
  canSave: boolean;
  onSaved: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const { set, isPending, error, reset } = useSetPolicy(owner);
  const close = () => {
    setOpen(false);
    reset();
  };
  const save = () =>
    set(JSON.parse(text)).then(
      () => {
        close();
        onSaved();
      },
      // The dialog shows it.
      () => {},
    );
  return (
    <>
      <Button kind="primary" disabled={!canSave} onClick={() => setOpen(true)}>
        Save …
      </Button>
      <Dialog
        title={`Save the policy of ${owner.kind} ${owner.id}?`}
        description={
          owner.kind === 'connection'
            ? 'It holds for events of all sources of the connection that are written from then on.'
            : 'It holds for events that are written from then on.'
        }
        isOpen={isOpen}
        onClose={close}
        isWide
      >
        <Difference label="What changes" before={saved} after={text} />
        {error !== null && <Notice tone="bad">{error.message}</Notice>}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" isBusy={isPending} onClick={() => void save()}>
            Save
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

export function PolicyRemoval({ owner, onRemoved }: { owner: PolicyOwner; onRemoved: () => void }) {
  const { set, error } = useSetPolicy(owner);
  return (
    <ConfirmButton
      label="Remove the policy …"
      title={`Remove the policy of ${owner.kind} ${owner.id}?`}
      description={
        owner.kind === 'source'
          ? "Its connection's policy holds then, or the settings of the source. All versions stay listed."
          : 'Its sources keep their own policies. All versions stay listed.'
      }
      action="Remove"
      onConfirm={() => set(null).then(onRemoved)}
    >
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
    </ConfirmButton>
  );
}
