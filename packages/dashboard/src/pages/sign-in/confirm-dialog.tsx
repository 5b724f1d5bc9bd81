import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { apiUrl } from '../../data/base.ts';
import { call } from '../../data/http.ts';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';

/** Asks who is there, before something that a browser left open must not do. */
export default function ConfirmDialog({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const { user, methods } = useSession();
  const [password, setPassword] = useState('');
  const confirm = useMutation({
    mutationFn: () => call('POST', 'session/confirm', { password }),
    onSuccess: () => onAnswer(true),
  });
  const canUsePassword = methods.password && user.hasPassword;
  return (
    <Dialog
      title="Is it still you?"
      description="Secrets, removals and users need a sign-in of the last 15 minutes."
      isOpen
      onClose={() => onAnswer(false)}
    >
      {canUsePassword && (
        <Form onSubmit={() => confirm.mutate()} aria-label="Confirm with the password">
          <TextField
            label={`Password of ${user.email}`}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {confirm.error !== null && <Notice tone="bad">{confirm.error.message}</Notice>}
          <DialogActions>
            <Button onClick={() => onAnswer(false)}>Cancel</Button>
            <Button type="submit" kind="primary" isBusy={confirm.isPending}>
              Continue
            </Button>
          </DialogActions>
        </Form>
      )}
      {user.hasOidc && methods.oidc !== null && (
        <Button onClick={() => location.assign(apiUrl('oidc/start?confirm=1'))}>Confirm with {methods.oidc}</Button>
      )}
      {!canUsePassword && !(user.hasOidc && methods.oidc !== null) && (
        <Notice tone="warn">
          You have no password: open a new link of <code>svc-server users invite {user.email}</code>, and set one there
          or on the page with your name.
        </Notice>
      )}
    </Dialog>
  );
}
