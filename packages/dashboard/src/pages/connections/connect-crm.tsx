/** Connects an account to a CRM, or reconnects it: on the consent page of the CRM, or with a token made there. */
import { CRMS } from '@svc/contract/vocabulary';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type AdminInput, useOperation, usePerform } from '../../data/operations.ts';
import { refreshAll } from '../../data/refresh.ts';
import { useToasts } from '../../parts/toast.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField, SwitchField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import styles from './connect-crm.module.css';
import { crmName } from './crm-names.ts';

type Crm = AdminInput<'connections/add'>['crm'];

export interface Reconnected {
  readonly id: number;
  readonly crm: string;
  readonly organizationId: string;
  readonly organizationDomain: string;
}

interface ConnectProps {
  accountId: number;
  /** The connection to reconnect. Default: a new one. */
  known?: Reconnected | undefined;
  onConnected: (connectionId: number) => void;
}

export function ConnectCrm(props: ConnectProps) {
  const { known } = props;
  const [crm, setCrm] = useState(known?.crm ?? 'HUBSPOT');
  const [isByToken, setByToken] = useState(false);
  return (
    <div className={styles['connect']}>
      {known === undefined && (
        <SelectField label="CRM" value={crm} onChange={(event) => setCrm(event.target.value)}>
          {CRMS.map((each) => (
            <option key={each} value={each}>
              {crmName(each)}
            </option>
          ))}
        </SelectField>
      )}
      <Consent key={crm} {...props} crm={crm} onRefused={() => setByToken(true)} />
      {isByToken ? (
        <Token key={`token-${crm}`} {...props} crm={crm} />
      ) : (
        <div>
          <Button kind="plain" onClick={() => setByToken(true)}>
            Use a token instead
          </Button>
        </div>
      )}
    </div>
  );
}

/** Opens the consent page of the CRM in another tab, and asks the server until somebody has allowed or refused access there. */
function Consent({
  accountId,
  known,
  onConnected,
  crm,
  onRefused,
}: ConnectProps & { crm: string; onRefused: () => void }) {
  const [sandbox, setSandbox] = useState(false);
  const [myDomain, setMyDomain] = useState('');
  const connect = usePerform('connections/connect', { showsErrors: true });
  const consent = connect.data?.consent;
  const begin = () =>
    connect.mutate(
      {
        crm: crm as Crm,
        accountId,
        ...(known === undefined ? {} : { connectionId: known.id }),
        ...(sandbox ? { sandbox } : {}),
        ...(myDomain.trim() === '' ? {} : { myDomain: myDomain.trim() }),
      },
      {
        onSuccess: ({ consent: { url } }) => void window.open(url, '_blank', 'noopener'),
        // The server may have no app at the CRM; then a token is the other way.
        onError: onRefused,
      },
    );
  return (
    <div className={styles['way']}>
      {crm === 'SALESFORCE' && (
        <>
          <SwitchField label="A sandbox" checked={sandbox} onChange={setSandbox} />
          <TextField
            label="Own address of the organization"
            hint="Only if it signs in at its own address: acme, or acme--dev.sandbox.my.salesforce.com."
            value={myDomain}
            onChange={(event) => setMyDomain(event.target.value)}
          />
        </>
      )}
      <div>
        <Button kind="primary" isBusy={connect.isPending} onClick={begin}>
          {`${known === undefined ? 'Connect' : 'Reconnect'} with ${crmName(crm)}`}
        </Button>
      </div>
      {connect.error !== null && <Notice tone="warn">{connect.error.message}</Notice>}
      {connect.data?.notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      {consent !== undefined && (
        <ConsentProgress key={consent.id} id={consent.id} url={consent.url} onConnected={onConnected} />
      )}
    </div>
  );
}

function ConsentProgress({ id, url, onConnected }: { id: number; url: string; onConnected: (id: number) => void }) {
  const [isOver, setOver] = useState(false);
  const toasts = useToasts();
  const queries = useQueryClient();
  const outcome = useOperation('connections/connect-result', { id }, { refetchInterval: isOver ? false : 2_000 });
  const state = outcome.data?.state ?? 'pending';
  const connectionId = outcome.data?.connectionId ?? null;
  useEffect(() => {
    if (state !== 'pending') setOver(true);
    if (state !== 'connected' || connectionId === null) return;
    toasts.say(`Connection ${connectionId} is connected.`);
    // The other tab has changed it, so nothing of this page has refreshed what it shows.
    void refreshAll(queries);
    onConnected(connectionId);
    // The outcome of one consent is final.
  }, [state, connectionId]);
  if (state === 'pending') {
    return (
      <Notice
        action={
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open the page
          </a>
        }
      >
        <Status tone="waiting">Waiting until access is allowed on the page of the CRM, for ten minutes at most.</Status>
      </Notice>
    );
  }
  if (state === 'connected') return <Notice tone="good">Connected.</Notice>;
  const text = state === 'expired' ? 'Nobody allowed access within ten minutes.' : 'The CRM refused access.';
  return <Notice tone="bad">{outcome.data?.error ?? text}</Notice>;
}

const WHERE: Readonly<Record<string, { organization: string; token: string }>> = {
  HUBSPOT: {
    organization: 'The Hub ID, beside the name of the account in HubSpot.',
    token: 'The access token of a private app. HubSpot is asked whether it has the needed scopes.',
  },
  SALESFORCE: {
    organization: 'The organization id, which begins with 00D: Setup, Company Information.',
    token: 'With a client id: the secret of this app. Without: an access token.',
  },
  PIPEDRIVE: {
    organization: 'The company id: Settings, Company settings.',
    token: 'The API token: Personal preferences, API.',
  },
};

function Token({ accountId, known, onConnected, crm }: ConnectProps & { crm: string }) {
  const where = WHERE[crm];
  const ids = known === undefined ? (['organizationId', 'organizationDomain'] as const) : [];
  const app = crm === 'SALESFORCE' ? (['clientId', 'sandbox', 'myDomain'] as const) : [];
  return (
    <div className={styles['way']}>
      <OperationForm
        operation="connections/add"
        fields={[...ids, 'crmToken', ...app]}
        fixed={{
          accountId,
          crm: crm as Crm,
          checksToken: true,
          ...(known === undefined
            ? {}
            : { organizationId: known.organizationId, organizationDomain: known.organizationDomain }),
        }}
        texts={{
          organizationId: { label: 'Account at the CRM', hint: where?.organization },
          organizationDomain: { label: 'Domain of the customer', hint: 'Shown in lists.', placeholder: 'example.com' },
          crmToken: { label: 'Token', hint: where?.token },
          clientId: { label: 'Client id', hint: 'Of an app with client credentials.' },
        }}
        action={known === undefined ? 'Check the token and connect' : 'Check the token and reconnect'}
        done={({ connection, isTokenChecked, notices }) =>
          [
            `Connection ${connection.id} is ready${isTokenChecked ? ': the CRM accepts its token' : ''}.`,
            ...notices,
          ].join(' ')
        }
        onDone={({ connection }) => onConnected(connection.id)}
      />
    </div>
  );
}
