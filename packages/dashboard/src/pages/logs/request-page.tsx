/** The story of one request: what was received, what was read from it, and what became of that. */
import { Link, useParams } from 'wouter';
import { CrmRecordLink } from './crm-record-link.tsx';
import { errorText } from './error-text.ts';
import { useAccountId } from '../../data/account.tsx';
import { type AdminResult, useOperation } from '../../data/operations.ts';
import { CommandHint } from '../../forms/command-hint.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Code } from '../../parts/copy.tsx';
import { Empty, Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Status, Tag, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ExactTime, Time } from '../../parts/time.tsx';

const PARENT = { label: 'Requests', href: '/requests' };
type Request = AdminResult<'requests/show'>['request'];

export default function RequestPage() {
  const { id = '' } = useParams();
  const requestId = Number(id);
  const accountId = useAccountId();
  const shown = useOperation('requests/show', { id: requestId });
  return (
    <Page title={`Request ${id}`} parent={PARENT}>
      <Loaded query={shown}>
        {({ request }) =>
          request.accountId === accountId ? (
            <Story request={request} />
          ) : (
            <Notice tone="warn">Request {id} belongs to another account.</Notice>
          )
        }
      </Loaded>
      <CommandHint operation="requests/show" input={{ id: requestId }} />
    </Page>
  );
}

function Story({ request }: { request: Request }) {
  const { outcome, reason, sourceId, connectionId, platform, events, headers, body, bodyBytes } = request;
  const { syncs, deliveries, mails, records } = request;
  const recordsOf = (recipient: string) => records.filter(({ person }) => person === recipient.toLowerCase());
  return (
    <>
      <Facts
        facts={[
          ['Received', <ExactTime key="at" at={request.createdAt} />],
          [
            'Outcome',
            <Status key="outcome" tone={toneOf(outcome)}>
              {outcome}
            </Status>,
          ],
          reason !== null && ['Why', reason],
          [
            'Source',
            sourceId === null ? (
              'a removed source'
            ) : (
              <Link key="source" href={`/sources/${sourceId}`}>
                {sourceId}: {platform}
              </Link>
            ),
          ],
          ['Size', bodyBytes === null ? 'the payload is no longer stored' : `${bodyBytes.toLocaleString('en')} bytes`],
          connectionId !== null && [
            'Connection',
            <Link key="connection" href={`/connections/${connectionId}`}>
              {connectionId}
            </Link>,
          ],
        ]}
      />
      {outcome === 'unparsed' && sourceId !== null && (
        <>
          <Notice
            tone="warn"
            action={
              bodyBytes !== null && (
                <ButtonLink isSmall href={`/sources/${sourceId}/mapping?request=${request.id}`}>
                  Map it
                </ButtonLink>
              )
            }
          >
            No adapter understands this payload. A mapping of the source says how such payloads are read.
          </Notice>
          <CommandHint operation="sources/map" input={{ sourceId }} />
        </>
      )}
      <Section title="Events">
        <Table
          label="Events"
          rows={events}
          keyOf={(event) => event.id}
          empty={<Empty>{whyNoEvents(outcome)}</Empty>}
          columns={[
            { header: 'Event', align: 'number', cell: (event) => event.id },
            { header: 'Type', cell: (event) => <Tag>{event.eventType}</Tag> },
            {
              header: 'Person',
              align: 'wide',
              cell: (event) => <Link href={`/people#${encodeURIComponent(event.toEmail)}`}>{event.toEmail}</Link>,
            },
            { header: 'First sync', align: 'number', cell: (event) => event.syncId ?? '–' },
            {
              header: 'CRM',
              cell: ({ heldUntil, syncStatus }) =>
                heldUntil !== null ? (
                  <Status tone="waiting">
                    held, dropped <Time at={heldUntil} />
                  </Status>
                ) : syncStatus === null ? (
                  <Status tone="neutral">not written yet</Status>
                ) : (
                  <Status tone={toneOf(syncStatus)}>{syncStatus}</Status>
                ),
            },
          ]}
        />
      </Section>
      {syncs.length > 0 && (
        <Section title="Calls to the CRM">
          <Table
            label="Calls to the CRM"
            rows={syncs}
            keyOf={(row) => row.id}
            empty={null}
            columns={[
              { header: 'When', cell: (row) => <ExactTime at={row.createdAt} /> },
              { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
              { header: 'Type', cell: (row) => <Tag>{row.eventType}</Tag> },
              { header: 'Person', align: 'wide', cell: (row) => row.toEmail },
              {
                header: 'Record',
                cell: (row) =>
                  recordsOf(row.toEmail).map((record) => <CrmRecordLink key={record.recordId} record={record} />),
              },
              { header: 'Error', align: 'wide', cell: (row) => errorText(row.error) },
              {
                header: 'Sync',
                align: 'number',
                cell: (row) => (row.retryOfSyncId === null ? row.id : `${row.id}, retry of ${row.retryOfSyncId}`),
              },
            ]}
          />
        </Section>
      )}
      {deliveries.length > 0 && (
        <Section title="Forwarded">
          <Table
            label="Forwarded"
            rows={deliveries}
            keyOf={(row) => row.id}
            empty={null}
            columns={[
              { header: 'When', cell: (row) => <ExactTime at={row.createdAt} /> },
              { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
              { header: 'HTTP', align: 'number', cell: (row) => row.httpStatus ?? '–' },
              { header: 'Destination', align: 'wide', cell: (row) => row.destinationUrl },
              { header: 'Error', align: 'wide', cell: (row) => row.error },
              { header: 'Delivery', align: 'number', cell: (row) => row.id },
            ]}
          />
        </Section>
      )}
      {mails.length > 0 && (
        <Section title="Mailed to sales reps">
          <Table
            label="Mailed to sales reps"
            rows={mails}
            keyOf={(row) => row.id}
            empty={null}
            columns={[
              { header: 'State', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
              { header: 'Relay', cell: (row) => <Link href={`/relays/${row.relayId}`}>{row.relayId}</Link> },
              { header: 'Due', cell: (row) => <Time at={row.dueAt} /> },
              { header: 'Ended', cell: (row) => <Time at={row.endedAt} /> },
              { header: 'Attempts', align: 'number', cell: (row) => row.attempts },
              { header: 'Error', align: 'wide', cell: (row) => row.error },
            ]}
          />
        </Section>
      )}
      <Section title="Payload, without secrets">
        {body === null ? <Empty>The payload is no longer stored.</Empty> : <Code label="Payload" value={body} />}
      </Section>
      <Section title="Headers">
        <Facts facts={Object.entries(headers).map(([name, value]) => [name, value] as const)} />
      </Section>
    </>
  );
}

function whyNoEvents(outcome: Request['outcome']): string {
  if (outcome === 'waiting') return 'The request is not processed yet.';
  if (outcome === 'duplicate') return 'All of its events were received before, with another request.';
  return 'No event was read from it.';
}
