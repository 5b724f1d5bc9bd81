import { Link, useLocation, useParams } from 'wouter';
import { useAccountId, useAccountStatus } from '../../data/account.tsx';
import { useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Empty, Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ConnectCrm } from './connect-crm.tsx';
import { ConnectionStatus, type Outage, type Quota, QuotaLeft, type ShownConnection } from './connection-status.tsx';
import { Preparation, SelfTest } from './crm-checks.tsx';
import { crmName } from './crm-names.ts';
import { Issues } from './issues.tsx';

const PARENT = { label: 'Connections', href: '/connections' };

export default function ConnectionPage() {
  const id = Number(useParams()['id']);
  const accountId = useAccountId();
  const connections = useOperation('connections/list', { accountId });
  return (
    <Loaded query={connections}>
      {({ connections: list, quotas, outages }) => {
        const found = list.find((each) => each.id === id);
        return found === undefined ? (
          <Page title="No such connection" parent={PARENT}>
            <Notice tone="warn">This account has no such connection. It may have been removed.</Notice>
          </Page>
        ) : (
          <Connection
            connection={found}
            quota={quotas.find(({ connectionId }) => connectionId === id)}
            outage={outages.find(({ connectionId }) => connectionId === id)}
          />
        );
      }}
    </Loaded>
  );
}

function Connection({
  connection,
  quota,
  outage,
}: {
  connection: ShownConnection;
  quota: Quota | undefined;
  outage: Outage | undefined;
}) {
  const { id, crm, status, organizationId, organizationDomain, createdAt } = connection;
  const { data } = useAccountStatus();
  const issues = data === undefined ? [] : [...data.blockers, ...data.warnings];
  return (
    <Page title={`${crmName(crm)} ${organizationDomain}`} parent={PARENT} actions={<Actions connection={connection} />}>
      <Facts
        facts={[
          ['State', <ConnectionStatus status={status} key="state" />],
          ['Account at the CRM', organizationId],
          ['Connection', id],
          ['Connected', <Time at={createdAt} key="at" />],
        ]}
      />
      <Issues issues={issues.filter(({ connectionId }) => connectionId === id)} isHere />
      <Limits quota={quota} outage={outage} />
      <Switches connection={connection} />
      <Sources id={id} />
      {status !== 'disconnected' && <Preparation id={id} />}
      {status !== 'disconnected' && <SelfTest id={id} />}
    </Page>
  );
}

function Actions({ connection }: { connection: ShownConnection }) {
  const { id, accountId, status } = connection;
  const [, navigate] = useLocation();
  const disconnect = usePerform('connections/disconnect', { done: 'The connection is disconnected.' });
  if (!useIsAdmin()) return null;
  const isConnected = status !== 'disconnected';
  return (
    <>
      <DialogButton
        label={isConnected ? 'Reconnect' : 'Reconnect the CRM'}
        title={`Reconnect ${crmName(connection.crm)}`}
        description="Its settings, sources and logs stay. Events that wait are written afterwards."
        button={{ kind: isConnected ? 'normal' : 'primary' }}
      >
        {(close) => <ConnectCrm accountId={accountId} known={connection} onConnected={close} />}
      </DialogButton>
      {isConnected && (
        <ConfirmButton
          label="Disconnect …"
          title="Disconnect the CRM?"
          description="Its token is deleted. Events are still received and kept, but not written until it is connected again."
          action="Disconnect"
          onConfirm={() => disconnect.mutateAsync({ id })}
        >
          <CommandHint operation="connections/disconnect" input={{ id }} />
        </ConfirmButton>
      )}
      <RemoveButton
        operation="connections/remove"
        id={id}
        what={`connection ${id}`}
        onDone={() => navigate('/connections')}
      />
    </>
  );
}

function Limits({ quota, outage }: { quota: Quota | undefined; outage: Outage | undefined }) {
  return (
    <Section title="Calls to the CRM">
      {outage !== undefined && (
        <Notice tone="bad">
          The CRM does not answer since <Time at={outage.since} />: {outage.reason}.{' '}
          {outage.waiting.toLocaleString('en')} events wait. The next try is <Time at={outage.nextProbeAt} />.
        </Notice>
      )}
      {quota === undefined ? (
        <p>No call was made yet.</p>
      ) : (
        <>
          {quota.stoppedSince !== null && (
            <Notice tone="warn">
              The share of the day is used up since <Time at={quota.stoppedSince} />, so events wait. The next call,
              which finds out whether a new day has begun, is <Time at={quota.nextCallAt} />.
            </Notice>
          )}
          {quota.pausedUntil !== null && (
            <Notice tone="warn">
              The CRM asked for a pause, which ends <Time at={quota.pausedUntil} />.
            </Notice>
          )}
          <Facts
            facts={[
              ['Left today', <QuotaLeft quota={quota} key="left" />],
              ['Used', `${quota.used.toLocaleString('en')} ${quota.unit}`],
              ['Counted by', quota.isReported ? 'the CRM, for all apps of the account' : 'this service, its own calls'],
            ]}
          />
        </>
      )}
    </Section>
  );
}

const SWITCHES = [
  ['sync', 'Sync', 'Events are written to the CRM.'],
  ['destinations', 'Destinations', 'Events are forwarded, and replies are relayed.'],
  ['blocklists', 'Block lists', 'Lists of the CRM are kept blocked in the sequencer.'],
] as const;

function Switches({ connection: { id, capabilities, canUseApi } }: { connection: ShownConnection }) {
  const isAdmin = useIsAdmin();
  const change = usePerform('capabilities/set');
  const isFixed = !isAdmin || change.isPending;
  return (
    <Section title="What it does">
      {SWITCHES.map(([name, label, hint]) => (
        <SwitchField
          key={name}
          label={label}
          hint={hint}
          checked={capabilities[name]}
          disabled={isFixed}
          onChange={(isOn) => change.mutate({ connectionId: id, [name]: isOn })}
        />
      ))}
      <SwitchField
        label="API"
        hint="Keys of the account may read this connection."
        checked={canUseApi}
        disabled={isFixed}
        onChange={(isOn) => change.mutate({ connectionId: id, canUseApi: isOn })}
      />
      <CommandHint operation="capabilities/set" input={{ connectionId: id, ...capabilities, canUseApi }} />
    </Section>
  );
}

/** The page of the sources shows the others. */
const SOURCES_MAX = 20;

function Sources({ id }: { id: number }) {
  const sources = useOperation('sources/list', { connectionId: id, limit: SOURCES_MAX });
  const all = (
    <ButtonLink isSmall href={`/sources?connection=${id}`}>
      All sources
    </ButtonLink>
  );
  return (
    <Section title="Sources" actions={all}>
      <Loaded query={sources}>
        {({ sources: rows }) => (
          <Table
            label="Sources"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>No sequencer posts to this connection yet: add a source.</Empty>}
            columns={[
              { header: 'Id', align: 'number', cell: (row) => row.id },
              {
                header: 'Sequencer',
                align: 'wide',
                cell: (row) => <Link href={`/sources/${row.id}`}>{row.platform}</Link>,
              },
              { header: 'Secret', cell: (row) => row.authenticity.secret },
              { header: 'Added', cell: (row) => <Time at={row.createdAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
