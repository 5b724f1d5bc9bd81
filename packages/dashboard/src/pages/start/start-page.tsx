/** The set-up on one page. Each step turns green by itself, and a reload resumes where the installation stands. */
import { useState } from 'react';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useFilters } from '../../data/filters.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyText, ShownOnce } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Loaded, Notice, Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { ConnectCrm } from '../connections/connect-crm.tsx';
import { ConnectionStatus, type ShownConnection } from '../connections/connection-status.tsx';
import { crmName } from '../connections/crm-names.ts';
import { NewSource } from '../sources/new-source.tsx';
import { FirstEvent } from './first-event.tsx';
import { choose, stateOf } from './progress.ts';
import { Step, StepRow, Steps } from './step.tsx';

type Account = AdminResult<'accounts/list'>['accounts'][number];
type Source = AdminResult<'sources/list'>['sources'][number];
type Key = AdminResult<'keys/list'>['keys'][number];

/** More than these are found on their own page. */
const SOURCES_MAX = 100;

export default function StartPage() {
  const accounts = useOperation('accounts/list', {});
  return (
    <Page title="Start" lead="Five steps until events are in the CRM. You can leave and come back.">
      <Loaded query={accounts}>{({ accounts: rows }) => <SetUp accounts={rows} />}</Loaded>
    </Page>
  );
}

function SetUp({ accounts }: { accounts: readonly Account[] }) {
  const { values, set } = useFilters(['account', 'connection', 'source']);
  const account = choose(accounts, values.account) ?? accounts[0];
  const accountId = account?.id ?? 0;
  const hasAccount = account !== undefined;
  const connections = useOperation('connections/list', { accountId }, { enabled: hasAccount });
  const shown = connections.data?.connections ?? [];
  const connection =
    choose(shown, values.connection) ?? shown.find(({ status }) => status !== 'disconnected') ?? shown[0];
  const isConnected = connection !== undefined && connection.status !== 'disconnected';
  const hasConnection = connection !== undefined;
  const sources = useOperation(
    'sources/list',
    { connectionId: connection?.id ?? 0, limit: SOURCES_MAX },
    { enabled: hasConnection },
  );
  const ownSources = sources.data?.sources ?? [];
  const source = choose(ownSources, values.source) ?? ownSources[0];
  const receipts = useOperation(
    'requests/list',
    { sourceId: source?.id ?? 0, limit: 1 },
    { enabled: source !== undefined },
  );
  const receipt = source === undefined ? undefined : receipts.data?.requests[0];
  const keys = useOperation('keys/list', { accountId }, { enabled: hasAccount });
  const validKeys = (keys.data?.keys ?? []).filter(({ state }) => state === 'valid');
  const steps = [hasAccount, isConnected, source !== undefined, receipt !== undefined, validKeys.length > 0];
  const isLoading = hasAccount && (connections.isPending || (hasConnection && sources.isPending) || keys.isPending);
  if (isLoading) return <p role="status">Loading …</p>;
  return (
    <>
      <Steps>
        <Step number={1} title="Account" state={stateOf(steps, 0)}>
          <AccountStep
            accounts={accounts}
            chosen={account}
            onChosen={(id) => set({ account: String(id), connection: '', source: '' })}
          />
        </Step>
        <Step number={2} title="CRM" state={stateOf(steps, 1)}>
          {account !== undefined && (
            <CrmStep
              key={accountId}
              accountId={accountId}
              connections={shown}
              chosen={connection}
              onChosen={(id) => set({ connection: String(id), source: '' })}
            />
          )}
        </Step>
        <Step number={3} title="Source" state={stateOf(steps, 2)}>
          {connection !== undefined && (
            <SourceStep
              key={connection.id}
              connection={connection}
              sources={ownSources}
              chosen={source}
              onChosen={(id) => set({ source: String(id) })}
            />
          )}
        </Step>
        <Step number={4} title="First event" state={stateOf(steps, 3)}>
          {source !== undefined && (
            <FirstEvent key={source.id} accountId={accountId} source={source} receipt={receipt} />
          )}
        </Step>
        <Step number={5} title="API key" state={stateOf(steps, 4, { mayBeginAfter: 3 })}>
          {account !== undefined && <KeyStep key={accountId} accountId={accountId} keys={validKeys} />}
        </Step>
      </Steps>
      {steps.every(Boolean) && (
        <Notice
          tone="good"
          action={
            <ButtonLink kind="primary" href={`/accounts/${accountId}/overview`}>
              Open the overview
            </ButtonLink>
          }
        >
          Everything is set up.
        </Notice>
      )}
    </>
  );
}

function AccountStep({
  accounts,
  chosen,
  onChosen,
}: {
  accounts: readonly Account[];
  chosen: Account | undefined;
  onChosen: (id: number) => void;
}) {
  const isAdmin = useIsAdmin();
  if (chosen === undefined) return <NewAccount onCreated={onChosen} />;
  return (
    <StepRow>
      <Choice label="Account" rows={accounts} chosen={chosen} nameOf={({ email }) => email} onChosen={onChosen} />
      {isAdmin && (
        <DialogButton label="Another account" title="Create an account" button={{ isSmall: true }}>
          {(close) => (
            <NewAccount
              onCreated={(id) => {
                close();
                onChosen(id);
              }}
            />
          )}
        </DialogButton>
      )}
    </StepRow>
  );
}

function NewAccount({ onCreated }: { onCreated: (id: number) => void }) {
  return (
    <OperationForm
      operation="accounts/create"
      fields={['email']}
      fixed={{ canUseWebhooks: true }}
      texts={{ email: { label: 'Email of the owner', hint: 'Everything else belongs to an account.' } }}
      action="Create the account"
      onDone={({ account }) => onCreated(account.id)}
    />
  );
}

function CrmStep({
  accountId,
  connections,
  chosen,
  onChosen,
}: {
  accountId: number;
  connections: readonly ShownConnection[];
  chosen: ShownConnection | undefined;
  onChosen: (id: number) => void;
}) {
  const isAdmin = useIsAdmin();
  if (chosen === undefined) {
    return isAdmin ? <ConnectCrm accountId={accountId} onConnected={onChosen} /> : <p>An admin connects the CRM.</p>;
  }
  const isDisconnected = chosen.status === 'disconnected';
  return (
    <>
      <StepRow>
        <Choice
          label="Connection"
          rows={connections}
          chosen={chosen}
          nameOf={({ crm, organizationDomain }) => `${crmName(crm)} ${organizationDomain}`}
          onChosen={onChosen}
        />
        <ConnectionStatus status={chosen.status} />
        {isAdmin && (
          <DialogButton label="Another CRM" title="Connect a CRM" button={{ isSmall: true }}>
            {(close) => (
              <ConnectCrm
                accountId={accountId}
                onConnected={(id) => {
                  close();
                  onChosen(id);
                }}
              />
            )}
          </DialogButton>
        )}
      </StepRow>
      {isDisconnected && isAdmin && <ConnectCrm accountId={accountId} known={chosen} onConnected={onChosen} />}
    </>
  );
}

function SourceStep({
  connection,
  sources,
  chosen,
  onChosen,
}: {
  connection: ShownConnection;
  sources: readonly Source[];
  chosen: Source | undefined;
  onChosen: (id: number) => void;
}) {
  const isAdmin = useIsAdmin();
  const connections = [{ value: connection.id, label: String(connection.id) }];
  if (chosen === undefined) return <NewSource connections={connections} onAdded={onChosen} />;
  return (
    <>
      <StepRow>
        <Choice
          label="Source"
          rows={sources}
          chosen={chosen}
          nameOf={({ id, platform }) => `${platform} (${id})`}
          onChosen={onChosen}
        />
        {isAdmin && (
          <DialogButton label="Another source" title="Add a source" button={{ isSmall: true }}>
            {(close) => (
              <NewSource
                connections={connections}
                onAdded={(id) => {
                  close();
                  onChosen(id);
                }}
              />
            )}
          </DialogButton>
        )}
      </StepRow>
      <p>Enter this address as the webhook of {chosen.platform}:</p>
      <CopyText text={chosen.url} label="Copy the address" />
      <Secret key={chosen.id} source={chosen} />
    </>
  );
}

/** Optional: without one, whoever knows the address can post. */
function Secret({ source: { id, platform, authenticity } }: { source: Source }) {
  const isAdmin = useIsAdmin();
  const set = usePerform('sources/set-secret');
  if (set.data !== undefined && set.data.generated !== null) {
    return (
      <>
        <ShownOnce secret={set.data.generated} label="Copy the secret" />
        <p>Enter it at {platform}: posts without it are refused.</p>
      </>
    );
  }
  if (authenticity.secret !== 'off') return <Status tone="good">Posts must carry a secret.</Status>;
  if (!isAdmin) return null;
  return (
    <StepRow>
      <Button isSmall isBusy={set.isPending} onClick={() => set.mutate({ id })}>
        Require a secret
      </Button>
      <span>Optional. Without one, whoever knows the address can post.</span>
    </StepRow>
  );
}

function KeyStep({ accountId, keys }: { accountId: number; keys: readonly Key[] }) {
  const [token, setToken] = useState<string | null>(null);
  const [mayWrite, setMayWrite] = useState(false);
  if (token !== null) return <ShownOnce secret={token} label="Copy the key" />;
  if (keys.length > 0) {
    return (
      <StepRow>
        <span>{keys.length === 1 ? 'One key is valid.' : `${keys.length} keys are valid.`}</span>
        <ButtonLink isSmall href={`/accounts/${accountId}/keys`}>
          All keys
        </ButtonLink>
      </StepRow>
    );
  }
  return (
    <OperationForm
      operation="keys/create"
      fields={['name']}
      fixed={{ accountId, scopes: mayWrite ? ['read', 'write'] : ['read'] }}
      texts={{ name: { hint: 'What it is for, such as reporting.' } }}
      action="Create the key"
      onDone={(result) => setToken(result.token)}
    >
      <SwitchField label="It may also change something" checked={mayWrite} onChange={setMayWrite} />
    </OperationForm>
  );
}

/** The name of what is chosen; a choice where there are several. */
function Choice<Row extends { id: number }>({
  label,
  rows,
  chosen,
  nameOf,
  onChosen,
}: {
  label: string;
  rows: readonly Row[];
  chosen: Row;
  nameOf: (row: Row) => string;
  onChosen: (id: number) => void;
}) {
  if (rows.length === 1) return <strong>{nameOf(chosen)}</strong>;
  return (
    <select aria-label={label} value={chosen.id} onChange={(event) => onChosen(Number(event.target.value))}>
      {rows.map((row) => (
        <option key={row.id} value={row.id}>
          {nameOf(row)}
        </option>
      ))}
    </select>
  );
}
