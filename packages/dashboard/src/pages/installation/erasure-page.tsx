import { type ReactNode, useState } from 'react';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Form, SelectField, TextField } from '../../parts/field.tsx';
import { Empty, Notice, Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';

type Report = AdminResult<'persons/erase'>;

const LEAD =
  'Removes the data of a person from logs, payloads and the queue of this service. CRM, sequencer, mailboxes, destinations and backups are not reached from here.';

export default function ErasurePage() {
  const isAdmin = useIsAdmin();
  const accounts = useOperation('accounts/list', {});
  // The page of a person leads here with the person in the state of the history, which is in no log.
  const [email, setEmail] = useState(() => readPerson('email'));
  const [profileUrl, setProfileUrl] = useState(() => readPerson('profileUrl'));
  const [accountId, setAccountId] = useState('');
  const find = usePerform('persons/erase', { showsErrors: true });
  const erase = usePerform('persons/erase', { done: 'The data of the person is erased.' });
  const person = {
    ...(email.trim() === '' ? {} : { email: email.trim() }),
    ...(profileUrl.trim() === '' ? {} : { profileUrl: profileUrl.trim() }),
    ...(accountId === '' ? {} : { accountId: Number(accountId) }),
  };
  const report = erase.data ?? find.data;
  const forget = () => {
    find.reset();
    erase.reset();
  };
  if (!isAdmin) {
    return (
      <Page title="Erasure" lead={LEAD}>
        <Notice>Only an admin erases data. Ask one for it.</Notice>
      </Page>
    );
  }
  return (
    <Page title="Erasure" lead={LEAD}>
      <Form
        onSubmit={() => {
          erase.reset();
          find.mutate(person);
        }}
        aria-label="Find the person"
      >
        <TextField
          label="Address of the person"
          type="email"
          value={email}
          onChange={(event) => {
            forget();
            setEmail(event.target.value);
          }}
        />
        <TextField
          label="Profile URLs of the same person (optional)"
          hint="Up to five, with commas."
          value={profileUrl}
          onChange={(event) => {
            forget();
            setProfileUrl(event.target.value);
          }}
        />
        <SelectField
          label="Account"
          value={accountId}
          onChange={(event) => {
            forget();
            setAccountId(event.target.value);
          }}
        >
          <option value="">all accounts</option>
          {(accounts.data?.accounts ?? []).map((account) => (
            <option key={account.id} value={account.id}>
              {account.email}
            </option>
          ))}
        </SelectField>
        {find.error !== null && <Notice tone="bad">{find.error.message}</Notice>}
        <div>
          <Button type="submit" kind="primary" isBusy={find.isPending}>
            Show what would be erased
          </Button>
        </div>
      </Form>
      <CommandHint operation="persons/erase" input={person} />
      {report !== undefined && (
        <ReportOf report={report}>
          {!report.isErased && report.erased.length > 0 && (
            <div>
              <ConfirmButton
                label="Erase …"
                button={{ kind: 'danger' }}
                title="Erase the data of this person?"
                description="This cannot be undone. Backups that were made before still have the data."
                action="Erase"
                onConfirm={() => erase.mutateAsync({ ...person, isConfirmed: true })}
              />
            </div>
          )}
        </ReportOf>
      )}
    </Page>
  );
}

function readPerson(name: 'email' | 'profileUrl'): string {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null || !(name in state)) return '';
  const value = (state as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
}

function ReportOf({ report, children }: { report: Report; children: ReactNode }) {
  const { isErased, erased, kept, deletedJobs, runningJobs, waitingRequests, failedRows, failures, otherIdentities } =
    report;
  return (
    <Section title={isErased ? 'Erased' : 'Would be erased'}>
      <Table
        label={isErased ? 'What was erased' : 'What would be erased'}
        rows={erased}
        keyOf={(row) => `${row.table} ${row.what}`}
        empty={<Empty>Nothing of this person was found.</Empty>}
        columns={[
          { header: 'Table', cell: (row) => row.table },
          { header: 'What', align: 'wide', cell: (row) => row.what },
          { header: 'Rows', align: 'number', cell: (row) => row.rows.toLocaleString('en') },
        ]}
      />
      {deletedJobs > 0 && <p>Waiting jobs that were dropped: {deletedJobs.toLocaleString('en')}.</p>}
      {waitingRequests > 0 && (
        <Notice tone="warn">
          {waitingRequests.toLocaleString('en')} requests are received and not processed yet, so they are not erased.
          Erase again in a minute.
        </Notice>
      )}
      {runningJobs > 0 && (
        <Notice tone="warn">
          {runningJobs.toLocaleString('en')} jobs were running, and may still write the data. Erase again in a minute.
        </Notice>
      )}
      {failedRows > 0 && (
        <Notice tone="bad">
          {failedRows.toLocaleString('en')} rows could not be read or changed, and may still hold the data:{' '}
          {failures.map(({ table, row, reason }) => `${table} ${row}: ${reason}`).join('; ')}
        </Notice>
      )}
      {otherIdentities.length > 0 && (
        <Notice>Their events also name {otherIdentities.join(', ')}. If that is the same person, erase it too.</Notice>
      )}
      {kept.length > 0 && (
        <Section title="Stays">
          <Table
            label="What stays"
            rows={kept}
            keyOf={(row) => `${row.table} ${row.what}`}
            empty={null}
            columns={[
              { header: 'Table', cell: (row) => row.table },
              { header: 'What', align: 'wide', cell: (row) => row.what },
              { header: 'Rows', align: 'number', cell: (row) => row.rows.toLocaleString('en') },
              { header: 'Why', align: 'wide', cell: (row) => row.why },
            ]}
          />
        </Section>
      )}
      {children}
    </Section>
  );
}
