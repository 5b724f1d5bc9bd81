import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../data/http.ts';
import type { Session } from '../../data/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';
import styles from './sign-in.module.css';

/** The page of an invitation. Its token is in the fragment, which no server and no log sees. */
export default function WelcomePage({ session }: { session: Session }) {
  // Read once: the address loses it at once, so that it stays in no history.
  const [token] = useState(takeToken);
  const [password, setPassword] = useState('');
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const redeem = useMutation({
    mutationFn: () => call('POST', 'session/link', { token, ...(password === '' ? {} : { password }) }),
    onSuccess: async () => {
      await queries.resetQueries();
      navigate('/', { replace: true });
    },
  });
  if (token === null) {
    return (
      <main className={styles['frame']}>
        <h1>This link is incomplete</h1>
        <p>Open it as it was given to you, with everything after the #. Each link works once.</p>
      </main>
    );
  }
  return (
    <main className={styles['frame']}>
      <h1>Welcome</h1>
      <p>The link signs you in on this browser, once.</p>
      <Form onSubmit={() => redeem.mutate()} aria-label="Sign in with the link">
        {session.methods.password && (
          <TextField
            label="Password for later (optional)"
            type="password"
            autoComplete="new-password"
            hint="At least 12 characters. Without one, a new link signs you in the next time."
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
        {redeem.error !== null && <Notice tone="bad">{redeem.error.message}</Notice>}
        <Button type="submit" kind="primary" isBusy={redeem.isPending}>
          Sign in
        </Button>
      </Form>
    </main>
  );
}

function takeToken(): string | null {
  const token = /^#\/invitation\/([\w-]{20,200})$/.exec(location.hash)?.[1] ?? null;
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}
