import { useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint, TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Empty, Loaded, Page, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const CHECKS = {
  PASS: { tone: 'good', text: 'good', order: 2 },
  WARN: { tone: 'warn', text: 'warning', order: 1 },
  FAIL: { tone: 'bad', text: 'problem', order: 0 },
} as const;

export default function HealthPage() {
  return (
    <Page title="Health" lead="What the service finds when it examines itself. Problems come first.">
      <Checks />
      <Jobs />
      <Secrets />
    </Page>
  );
}

function Checks() {
  // The checks call CRMs, so they run only when somebody asks.
  const checks = useOperation('doctor/check', {}, { refetchesByItself: false });
  const again = (
    <Button isSmall isBusy={checks.isFetching} onClick={() => void checks.refetch()}>
      Check again
    </Button>
  );
  return (
    <Section title="Checks" actions={again}>
      <Loaded query={checks}>
        {({ checks: rows }) => (
          <Table
            label="Checks"
            rows={rows.toSorted((a, b) => CHECKS[a.status].order - CHECKS[b.status].order)}
            keyOf={(row) => row.name}
            empty={null}
            columns={[
              {
                header: 'State',
                cell: (row) => <Status tone={CHECKS[row.status].tone}>{CHECKS[row.status].text}</Status>,
              },
              { header: 'Check', cell: (row) => row.name },
              { header: 'Found', align: 'wide', cell: (row) => row.message },
              { header: 'What to do', align: 'wide', cell: (row) => row.fix ?? '' },
            ]}
          />
        )}
      </Loaded>
      <TextHint command="svc-server doctor" />
    </Section>
  );
}

function Jobs() {
  const isAdmin = useIsAdmin();
  const jobs = useOperation('jobs/list', { limit: 100 });
  const retry = usePerform('jobs/retry', { done: ({ retried }) => `${retried} jobs run again.` });
  return (
    <Section title="Jobs that were set aside">
      <Loaded query={jobs}>
        {({ jobs: rows }) => (
          <>
            <Table
              label="Jobs that were set aside"
              rows={rows}
              keyOf={(row) => `${row.kind} ${row.ref}`}
              empty={<Empty>No job is set aside. One that throws the same error again and again would be here.</Empty>}
              columns={[
                { header: 'Kind', cell: (row) => row.kind },
                { header: 'Of', cell: (row) => row.ref },
                { header: 'Set aside', cell: (row) => <Time at={row.setAsideAt} /> },
                { header: 'Error', align: 'wide', cell: (row) => row.error },
              ]}
            />
            {rows.length > 0 && isAdmin && (
              <div>
                <Button isBusy={retry.isPending} onClick={() => retry.mutate({})}>
                  Run all of them again
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
      <CommandHint operation="jobs/list" input={{}} />
    </Section>
  );
}

function Secrets() {
  const isAdmin = useIsAdmin();
  const reencrypt = usePerform('secrets/reencrypt', {
    done: ({ reencrypted, current, unreadable }) =>
      `${reencrypted} secrets are encrypted again, ${current} were up to date, ${unreadable.length} cannot be decrypted.`,
  });
  const discard = usePerform('secrets/discard', {
    done: ({ discarded }) => `${discarded.length} secrets are deleted.`,
  });
  if (!isAdmin) return null;
  return (
    <Section title="Stored secrets">
      <p>After a change of SVC_ENCRYPTION_KEY, encrypt all secrets with its first key, so that the old key can go.</p>
      <CommandHint operation="secrets/reencrypt" input={{}} />
      <div>
        <Button isBusy={reencrypt.isPending} onClick={() => reencrypt.mutate({})}>
          Encrypt again
        </Button>{' '}
        <ConfirmButton
          label="Delete unreadable secrets …"
          title="Delete the secrets that cannot be decrypted?"
          description="Only when their key is lost for ever: connections are disconnected, block lists lose their API key, and webhooks are switched off. Readable secrets stay."
          action="Delete"
          onConfirm={() => discard.mutateAsync({ isConfirmed: true })}
        />
      </div>
    </Section>
  );
}
