import { Link } from 'wouter';
import { type AdminInput, type AdminResult, useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { Empty, Facts, Loaded, Notice, Section } from '../../parts/page.tsx';
import { Status, Tag, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { crmName } from '../connections/crm-names.ts';
import { type ShownSource, SourceFrame } from './source-frame.tsx';
import { describeReading, SecretState, WiringState } from './source-states.tsx';

export default function SourcePage() {
  return (
    <SourceFrame tab="overview">
      {(source) => (
        <>
          <About source={source} />
          <Receipts source={source} />
          <Settings source={source} />
        </>
      )}
    </SourceFrame>
  );
}

function About({ source }: { source: ShownSource }) {
  const {
    id,
    url,
    connectionId,
    crm,
    authenticity,
    destinations,
    replyRelay,
    createdAt,
    eventCoverage,
    mappingVersion,
    wiring,
  } = source;
  return (
    <>
      <Facts
        facts={[
          ['Webhook URL', <CopyText key="url" text={url} label="Copy the URL" />],
          [
            'Connection',
            <Link key="connection" href={`/connections/${connectionId}`}>
              {connectionId}: {crmName(crm)}
            </Link>,
          ],
          [
            'Events',
            eventCoverage === 'none' && mappingVersion === null ? (
              <Link href={`/sources/${id}/mapping`}>{describeReading(source)}</Link>
            ) : (
              describeReading(source)
            ),
          ],
          ['Secret', <SecretState key="secret" state={authenticity.secret} />],
          ...(wiring === null ? [] : [['At the sequencer', <WiringState key="wiring" wiring={wiring} />] as const]),
          [
            'Forwarded to',
            destinations.length === 0 ? <Link href="/destinations">no destination</Link> : listUrls(destinations),
          ],
          ['Replies go to', replyRelay?.ccEmail ?? <Link href="/relays">no sales rep</Link>],
          ['Added', <Time key="at" at={createdAt} />],
        ]}
      />
      <CommandHint operation="sources/show" input={{ id }} />
    </>
  );
}

function listUrls(destinations: ShownSource['destinations']): string {
  return destinations.map(({ url }) => url).join(', ');
}

/** As many as fit beside the rest of the page. */
const LAST = 10;

function Receipts({ source: { id, connectionId } }: { source: ShownSource }) {
  const receipts = useOperation('requests/list', { sourceId: id, limit: LAST });
  const all = (
    <ButtonLink isSmall href={`/requests?source=${id}&connection=${connectionId}`}>
      All requests
    </ButtonLink>
  );
  return (
    <Section title="Last requests" actions={all}>
      <Loaded query={receipts}>
        {({ requests }) => (
          <Table
            label="Last requests"
            rows={requests}
            keyOf={(row) => row.id}
            empty={<Empty>Nothing was posted yet. Enter the URL above as the webhook of the sequencer.</Empty>}
            columns={[
              {
                header: 'Request',
                align: 'number',
                cell: (row) => <Link href={`/requests/${row.id}`}>{row.id}</Link>,
              },
              { header: 'Received', cell: (row) => <Time at={row.createdAt} /> },
              { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.outcome)}>{row.outcome}</Status> },
              { header: 'Understood', align: 'wide', cell: (row) => <Understood row={row} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Understood({ row: { eventTypes, reason } }: { row: AdminResult<'requests/list'>['requests'][number] }) {
  if (eventTypes.length === 0) return reason ?? '–';
  return eventTypes.map((type) => <Tag key={type}>{type}</Tag>);
}

const SWITCHES = [
  ['createOrUpdateCompany', 'Companies'],
  ['createOrUpdateTask', 'Tasks for replies'],
  ['assignContactOwner', 'Owners of contacts'],
  ['writeStateFields', 'Bounces and opt-outs'],
] as const;

/** How its events are written. */
function Settings({ source }: { source: ShownSource }) {
  const isAdmin = useIsAdmin();
  const { id, crm, config, writeStateFields } = source;
  const { salesforceObjectType } = config;
  const values = { ...config, writeStateFields };
  const hasObjectType = crm === 'SALESFORCE';
  if (!isAdmin) {
    return (
      <Section title="Settings">
        <Facts
          facts={[
            ...SWITCHES.map(([name, label]) => [label, values[name] ? 'on' : 'off'] as const),
            hasObjectType && ['Unknown persons become', salesforceObjectType ?? 'contacts'],
          ]}
        />
      </Section>
    );
  }
  const initial = values as Partial<AdminInput<'sources/update'>>;
  return (
    <Section title="Settings">
      <Notice>They hold for events that are written from now on.</Notice>
      {/* Saved settings begin a new form. */}
      <OperationForm
        key={JSON.stringify(initial)}
        operation="sources/update"
        fields={[...SWITCHES.map(([name]) => name), ...(hasObjectType ? (['salesforceObjectType'] as const) : [])]}
        fixed={{ id }}
        initial={initial}
        texts={Object.fromEntries(SWITCHES.map(([name, label]) => [name, { label }]))}
        action="Save the settings"
        done="The settings are saved."
      />
    </Section>
  );
}
