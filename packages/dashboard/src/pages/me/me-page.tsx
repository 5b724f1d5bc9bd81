import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiUrl } from '../../data/base.ts';
import { call } from '../../data/http.ts';
import { useChange } from '../../data/operations.ts';
import { SESSION_KEY, useSession } from '../../data/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

interface OwnSession {
  readonly id: number;
  readonly device: string | null;
  readonly address: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly isThis: boolean;
}

const SESSIONS_KEY = ['operation', 'own-sessions'] as const;

export default function MePage() {
  const { user, methods } = useSession();
  return (
    <Page title={user.email} lead="Your own sign-in.">
      <Facts
        facts={[
          ['Role', user.role],
          ['Signed in', <Time at={user.signedInAt} key="at" />],
          ['Password', user.hasPassword ? 'set' : 'none'],
          methods.oidc !== null && [methods.oidc, user.hasOidc ? 'linked' : 'not linked yet'],
        ]}
      />
      {methods.oidc !== null && !user.hasOidc && (
        <Section title={`Sign in with ${methods.oidc}`}>
          <p>Link your account there: from then on, it signs you in.</p>
          <div>
            <Button onClick={() => location.assign(apiUrl('oidc/start?confirm=1'))}>Link the account</Button>
          </div>
        </Section>
      )}
      {methods.password && <Password hasPassword={user.hasPassword} />}
      <Sessions />
    </Page>
  );
}

function Password({ hasPassword }: { hasPassword: boolean }) {
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useChange(() => call('PUT', 'password', { ...(hasPassword ? { current } : {}), password }), {
    done: 'Your password is changed. Other sessions of yours are ended.',
    showsErrors: true,
  });
  const submit = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        setCurrent('');
        setPassword('');
        void queries.invalidateQueries({ queryKey: SESSION_KEY });
      },
    });
  return (
    <Section title={hasPassword ? 'Change the password' : 'Set a password'}>
      <Form onSubmit={submit} aria-label="Password">
        {hasPassword && (
          <TextField
            label="Present password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        )}
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {change.error !== null && <Notice tone="bad">{change.error.message}</Notice>}
        <div>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function Sessions() {
  const sessions = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: () => call<{ sessions: readonly OwnSession[] }>('GET', 'sessions'),
  });
  const end = useChange((id: number) => call('DELETE', `sessions/${id}`), { done: 'The session is ended.' });
  return (
    <Section title="Where you are signed in">
      <Loaded query={sessions}>
        {({ sessions: rows }) => (
          <Table
            label="Sessions"
            rows={rows}
            keyOf={(row) => row.id}
            empty={null}
            columns={[
              { header: 'Device', align: 'wide', cell: (row) => row.device ?? 'unknown' },
              { header: 'Address', cell: (row) => row.address ?? '–' },
              { header: 'Begun', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Last used', cell: (row) => <Time at={row.lastUsedAt} /> },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) =>
                  row.isThis ? (
                    'this browser'
                  ) : (
                    <Button isSmall isBusy={end.isPending} onClick={() => end.mutate(row.id)}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
