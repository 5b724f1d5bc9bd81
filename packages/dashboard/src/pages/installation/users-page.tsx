import { useState } from 'react';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin, useSession } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type User = AdminResult<'users/list'>['users'][number];
type Invitation = AdminResult<'users/invite'>;

export default function UsersPage() {
  const isAdmin = useIsAdmin();
  const users = useOperation('users/list', {});
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const invite = isAdmin ? (
    <DialogButton label="Invite" button={{ kind: 'primary' }} title="Invite a user">
      {(close) => (
        <OperationForm
          operation="users/invite"
          fields={['email', 'role']}
          texts={{ email: { label: 'Address' }, role: { label: 'Role' } }}
          action="Make a link"
          onDone={(result) => {
            setInvitation(result);
            close();
          }}
          onCancel={close}
        />
      )}
    </DialogButton>
  ) : null;
  return (
    <Page
      title="Users"
      lead="Who may sign in here. An admin may do everything, a viewer only reads; both see all accounts."
      actions={invite}
    >
      {invitation !== null && (
        <Notice tone="warn">
          <p>
            The link signs in {invitation.user.email} ({invitation.user.role}), once, until{' '}
            {new Date(invitation.expiresAt).toLocaleTimeString('en-GB')}. It is shown only here: give it to nobody else.
          </p>
          <CopyText text={invitation.link} label="Copy the link" />
        </Notice>
      )}
      <Loaded query={users}>
        {({ users: rows }) => (
          <>
            <Table
              label="Users"
              rows={rows}
              keyOf={(row) => row.id}
              empty={null}
              columns={[
                { header: 'Address', align: 'wide', cell: (row) => row.email },
                { header: 'Role', cell: (row) => row.role },
                { header: 'Signs in with', cell: (row) => waysIn(row) },
                { header: 'Invited', cell: (row) => <Time at={row.createdAt} /> },
                { header: 'Last sign-in', cell: (row) => <Time at={row.lastSignedInAt} none="never" /> },
                {
                  header: <span className="visually-hidden">Actions</span>,
                  cell: (row) => (isAdmin ? <Actions user={row} onInvitation={setInvitation} /> : null),
                },
              ]}
            />
            <CommandHint operation="users/list" input={{}} />
            <Sessions users={rows} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function waysIn({ hasPassword, hasOidc }: User): string {
  const ways = [hasPassword && 'password', hasOidc && 'OpenID Connect'].filter(Boolean);
  return ways.length === 0 ? 'a link' : ways.join(', ');
}

function Actions({ user, onInvitation }: { user: User; onInvitation: (invitation: Invitation) => void }) {
  const invite = usePerform('users/invite');
  return (
    <>
      <DialogButton label="Change" button={{ isSmall: true }} title={user.email}>
        {(close) => (
          <OperationForm
            operation="users/update"
            fields={['role', 'email']}
            fixed={{ id: user.id }}
            initial={{ role: user.role, email: user.email }}
            texts={{ role: { label: 'Role' }, email: { label: 'Address' } }}
            action="Save"
            done="The user is changed."
            onDone={close}
            onCancel={close}
          />
        )}
      </DialogButton>{' '}
      <Button
        isSmall
        isBusy={invite.isPending}
        onClick={() => invite.mutate({ email: user.email }, { onSuccess: onInvitation })}
      >
        New link
      </Button>{' '}
      <RemoveButton operation="users/remove" id={user.id} what={`user ${user.email}`} isSmall />
    </>
  );
}

function Sessions({ users }: { users: readonly User[] }) {
  const isAdmin = useIsAdmin();
  const { user: self } = useSession();
  const sessions = useOperation('users/sessions', {});
  const end = usePerform('users/end-sessions', { done: 'The session is ended.' });
  return (
    <Section title="Sessions">
      <Loaded query={sessions}>
        {({ sessions: rows }) => (
          <Table
            label="Sessions"
            rows={rows}
            keyOf={(row) => row.id}
            empty={null}
            columns={[
              {
                header: 'User',
                align: 'wide',
                cell: (row) => users.find(({ id }) => id === row.userId)?.email ?? row.userId,
              },
              { header: 'Device', cell: (row) => row.device },
              { header: 'Address', cell: (row) => row.address },
              { header: 'Begun', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Last used', cell: (row) => <Time at={row.lastUsedAt} /> },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) =>
                  isAdmin && row.userId !== self.id ? (
                    <Button
                      isSmall
                      isBusy={end.isPending}
                      onClick={() => end.mutate({ id: row.userId, sessionId: row.id })}
                    >
                      End
                    </Button>
                  ) : null,
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="users/sessions" input={{}} />
    </Section>
  );
}
