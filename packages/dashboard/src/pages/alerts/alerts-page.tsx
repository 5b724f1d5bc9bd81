import { useState } from 'react';
import { Link } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { Button } from '../../parts/button.tsx';
import { ShownOnce } from '../../parts/copy.tsx';
import { Empty, Loaded, Page, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AddChannel, ChangeChannel, useTopics } from './channel-forms.tsx';

type Listed = AdminResult<'alerts/list'>;
type Channel = Listed['channels'][number];
type Incident = Listed['incidents'][number];
type ClosedIncident = Listed['closed'][number];

const LEAD =
  'Channels of Slack, Teams, Discord, mail or your own program get one message when an incident begins, and one when it ends.';
/** Incidents are looked for once a minute. */
const REFRESH_MS = 60_000;

export default function AlertsPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const alerts = useOperation('alerts/list', { accountId }, { refetchInterval: REFRESH_MS });
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title="Alerts" lead={LEAD} actions={isAdmin && <AddChannel onSecret={setSecret} />}>
      {secret !== null && <ShownOnce secret={secret} label="Copy the signing secret" />}
      <Loaded query={alerts}>
        {({ channels, incidents, closed }) => (
          <>
            <Channels rows={channels} onSecret={setSecret} />
            <CommandHint operation="alerts/list" input={{ accountId }} />
            <Section title="Open incidents">
              <Incidents
                label="Open incidents"
                rows={incidents}
                empty={channels.length === 0 ? 'Incidents are looked for while there are channels.' : 'There are none.'}
              />
            </Section>
            <Section title="Incidents that have ended">
              <Incidents label="Incidents that have ended" rows={closed} empty="There are none yet." />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Channels({ rows, onSecret }: { rows: readonly Channel[]; onSecret: (secret: string) => void }) {
  const isAdmin = useIsAdmin();
  return (
    <Table
      label="Channels"
      rows={rows}
      keyOf={(row) => row.id}
      empty={<Empty>There are no channels yet, so nobody gets a message about incidents. Add one, then test it.</Empty>}
      columns={[
        { header: 'Id', align: 'number', cell: (row) => row.id },
        { header: 'Kind', cell: (row) => row.kind },
        { header: 'Place', cell: (row) => row.place },
        { header: 'Alerts of', cell: (row) => (row.accountId === null ? 'all accounts' : 'this account') },
        { header: 'Topics', cell: (row) => <Topics {...row} /> },
        { header: 'State', align: 'wide', cell: (row) => <State row={row} /> },
        { header: 'Last sent', cell: (row) => <Time at={row.lastSentAt} none="not yet" /> },
        {
          header: <span className="visually-hidden">Actions</span>,
          cell: (row) => (isAdmin ? <Actions row={row} onSecret={onSecret} /> : null),
        },
      ]}
    />
  );
}

function Topics({ topics }: Channel) {
  const all = useTopics();
  return topics.length >= all.length ? 'all' : `${topics.length} of ${all.length}`;
}

function State({ row }: { row: Channel }) {
  if (!row.isUsable) return <Status tone="bad">its URL is lost: replace it</Status>;
  if (row.failedAt !== null) return <Status tone="bad">failed: {row.lastError}</Status>;
  if (row.waitingCount > 0) return <Status tone="warn">{row.waitingCount} waiting</Status>;
  return row.lastSentAt === null ? <Status tone="neutral">not tried</Status> : <Status tone="good">works</Status>;
}

function Actions({ row, onSecret }: { row: Channel; onSecret: (secret: string) => void }) {
  const test = usePerform('alerts/test', {
    done: ({ channel, message: { status, error } }) => {
      if (status === 'sent') return `The test message was sent to ${channel.place}.`;
      const why = error === null ? '' : `: ${error}`;
      return status === 'failed'
        ? `The test message could not be sent to ${channel.place}${why}.`
        : `The test message to ${channel.place} waits${why}.`;
    },
  });
  return (
    <>
      <Button isSmall isBusy={test.isPending} onClick={() => test.mutate({ id: row.id })}>
        Test
      </Button>{' '}
      <ChangeChannel channel={row} onSecret={onSecret} />{' '}
      <RemoveButton operation="alerts/remove" id={row.id} what={`alert channel ${row.id}`} isSmall />
    </>
  );
}

function Incidents({
  label,
  rows,
  empty,
}: {
  label: string;
  rows: readonly (Incident | ClosedIncident)[];
  empty: string;
}) {
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={(row) => row.id}
      empty={<Empty>{empty}</Empty>}
      columns={[
        { header: 'Began', cell: (row) => <Time at={row.openedAt} /> },
        { header: 'Topic', cell: (row) => row.topic },
        { header: 'Incident', align: 'wide', cell: (row) => <Link href={placeOf(row)}>{row.summary}</Link> },
        { header: 'Ended', cell: (row) => <Time at={'closedAt' in row ? row.closedAt : null} none="not yet" /> },
      ]}
    />
  );
}

/** The page about the source, block list or connection of an incident. */
function placeOf({ topic, sourceId, connectionId }: Incident): string {
  if (topic === 'blocklist-stuck') return '/blocklists';
  return sourceId === null ? `/connections/${connectionId}` : `/sources/${sourceId}`;
}
