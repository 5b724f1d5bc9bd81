/** The secret that posts to a source must carry. */
import { useState } from 'react';
import { usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { ShownOnce } from '../../parts/copy.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Empty, Facts, Notice, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type ShownSource, SourceFrame } from './source-frame.tsx';
import { SecretState } from './source-states.tsx';

export default function SecretsPage() {
  return <SourceFrame tab="secrets">{(source) => <Secrets key={source.id} source={source} />}</SourceFrame>;
}

function Secrets({ source }: { source: ShownSource }) {
  const { id, authenticity } = source;
  return (
    <>
      <Facts facts={[['Secret', <SecretState key="secret" state={authenticity.secret} />]]} />
      {authenticity.secret === 'off' && (
        <Notice>Whoever knows the URL can post events. With a secret, posts without it are refused.</Notice>
      )}
      {authenticity.secret === 'unreadable' && (
        <Notice tone="bad">The stored secret cannot be decrypted, so posts get 503. Set a new one.</Notice>
      )}
      {authenticity.secret !== 'off' && <Accepted source={source} />}
      <Refused source={source} />
      <NewSecret sourceId={id} isReplaced={authenticity.secret !== 'off'} />
    </>
  );
}

const CHECKS = {
  header: 'the secret in the header',
  'hmac-sha256': 'HMAC-SHA256 in the header',
  'hmac-sha1': 'HMAC-SHA1 in the header',
  'timed-hmac-sha256': 'HMAC-SHA256 of time and body in the header',
  'standard-webhooks': 'Standard Webhooks in the header',
  body: 'the secret in the field of the body',
} as const;

function Accepted({ source: { id, authenticity } }: { source: ShownSource }) {
  const isAdmin = useIsAdmin();
  const remove = usePerform('sources/remove-secret', { done: 'Posts need no secret any more.' });
  const removal = isAdmin && (
    <ConfirmButton
      label="Accept posts without a secret …"
      button={{ isSmall: true }}
      title="Accept posts without a secret?"
      description="Whoever knows the URL of the source can post events then."
      action="Accept them"
      onConfirm={() => remove.mutateAsync({ id })}
    >
      <CommandHint operation="sources/remove-secret" input={{ id }} />
    </ConfirmButton>
  );
  return (
    <Section title="Accepted" actions={removal}>
      <Table
        label="Accepted secrets"
        rows={authenticity.accepted}
        keyOf={(row) => `${row.check} ${row.name} ${row.validUntil ?? ''}`}
        empty={<Empty>No secret is accepted.</Empty>}
        columns={[
          { header: 'Check', align: 'wide', cell: (row) => `${CHECKS[row.check]} ${row.name}` },
          {
            header: 'Valid until',
            cell: (row) => (row.validUntil === null ? 'it is replaced' : <Time at={row.validUntil} />),
          },
        ]}
      />
    </Section>
  );
}

function Refused({ source: { authenticity } }: { source: ShownSource }) {
  if (authenticity.refused.length === 0) return null;
  return (
    <Section title="Refused in the last seven days">
      <Table
        label="Refused posts"
        rows={authenticity.refused}
        keyOf={(row) => row.day}
        empty={null}
        columns={[
          { header: 'Day (UTC)', cell: (row) => row.day },
          { header: 'Without a secret', align: 'number', cell: (row) => row.missing.toLocaleString('en') },
          { header: 'With a wrong or outdated one', align: 'number', cell: (row) => row.wrong.toLocaleString('en') },
        ]}
      />
    </Section>
  );
}

function NewSecret({ sourceId, isReplaced }: { sourceId: number; isReplaced: boolean }) {
  const isAdmin = useIsAdmin();
  const [generated, setGenerated] = useState<string | null>(null);
  if (!isAdmin) return null;
  return (
    <Section title={isReplaced ? 'Replace the secret' : 'Require a secret'}>
      {generated !== null && (
        <>
          <ShownOnce secret={generated} label="Copy the secret" />
          <p>Enter it at the sequencer: within five seconds posts without it are refused.</p>
        </>
      )}
      <OperationForm
        operation="sources/set-secret"
        fields={[
          'secret',
          'header',
          'hmacHeader',
          'timedHmacHeader',
          'standardWebhooks',
          'tolerance',
          ...(isReplaced ? (['keepOld'] as const) : []),
        ]}
        fixed={{ id: sourceId }}
        texts={{
          secret: { hint: 'What the sequencer gave you. Leave it empty to make a new one.' },
          header: { label: 'Header with the secret', placeholder: 'X-Webhook-Secret' },
          hmacHeader: { label: 'Header with the HMAC' },
          timedHmacHeader: { label: 'Header with time and HMAC' },
          standardWebhooks: { label: 'Signed as Standard Webhooks are' },
          tolerance: { label: 'Age of a signature with a time', placeholder: '5m' },
          keepOld: { label: 'Accept the replaced one for', placeholder: '24h' },
        }}
        action={isReplaced ? 'Replace it' : 'Require it'}
        done="The secret is set."
        onDone={(result) => setGenerated(result.generated)}
      />
    </Section>
  );
}
