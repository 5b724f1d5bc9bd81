import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiUrl } from '../../data/base.ts';
import { call } from '../../data/http.ts';
import { describeProblem } from '../../data/sign-in-problem.ts';
import type { Session } from '../../data/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';
import styles from './sign-in.module.css';

export default function SignInPage({ session }: { session: Session }) {
  const { methods } = session;
  const problem = describeProblem(location.search);
  const reconnected = /\/connections\/(\d+)$/.exec(location.pathname)?.[1];
  return (
    <main className={styles['frame']}>
      <h1>Sign in</h1>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {methods.oidc !== null && (
        <Button kind="primary" onClick={() => location.assign(apiUrl('oidc/start'))}>
          Continue with {methods.oidc}
        </Button>
      )}
      {methods.oidc !== null && methods.password && <p className={styles['or']}>or</p>}
      {methods.password && <PasswordForm isMain={methods.oidc === null} />}
      <p>
        No password yet, or forgotten? On the machine of the server, <code>svc-server users invite EMAIL</code> prints a
        link that signs you in once.
      </p>
      {reconnected !== undefined && (
        <p>
          To only reconnect a CRM:{' '}
          <a href={`${session.urls.api}/oauth/connections/${reconnected}/start`}>reconnect connection {reconnected}</a>.
          The CRM asks you for access.
        </p>
      )}
    </main>
  );
}

function PasswordForm({ isMain }: { isMain: boolean }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => call('POST', 'session/password', { email, password }),
    onSuccess: () => queries.resetQueries(),
  });
  return (
    <Form onSubmit={() => signIn.mutate()} aria-label="Sign in">
      <TextField
        label="Address"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error !== null && <Notice tone="bad">{signIn.error.message}</Notice>}
      <Button type="submit" kind={isMain ? 'primary' : 'normal'} isBusy={signIn.isPending}>
        Sign in
      </Button>
    </Form>
  );
}
