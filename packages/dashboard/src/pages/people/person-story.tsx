/** What happened with one person, with links to each request, sync, delivery and CRM record. */
import { Link } from 'wouter';
import type { AdminResult } from '../../data/operations.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Facts, Notice, Section } from '../../parts/page.tsx';
import { Status, Tag, toneOf } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { ExactTime, Time } from '../../parts/time.tsx';
import { crmName } from '../connections/crm-names.ts';
import { CrmRecordLink } from '../logs/crm-record-link.tsx';
import { errorText } from '../logs/error-text.ts';

type PersonStory = AdminResult<'persons/show'>;

/** @param onFind looks for another person */
export function Story({ story, onFind }: { story: PersonStory; onFind: (text: string) => void }) {
  const { outreach, records, requests, events, syncs, deliveries, mails, blocked, otherIdentities } = story;
  return (
    <>
      <Outreach outreach={outreach} />
      {otherIdentities.length > 0 && (
        <Notice>
          Their events also name these; if that is the same person, look there too.{' '}
          {otherIdentities.map((identity) => (
            <Button key={identity} isSmall onClick={() => onFind(identity)}>
              {identity}
            </Button>
          ))}
        </Notice>
      )}
      <List
        title="Records in CRMs"
        rows={records}
        keyOf={(row) => `${row.connectionId} ${row.recordId}`}
        columns={[
          {
            header: 'Connection',
            cell: (row) => <Link href={`/connections/${row.connectionId}`}>{row.connectionId}</Link>,
          },
          { header: 'CRM', cell: (row) => crmName(row.crm) },
          { header: 'Record', align: 'wide', cell: (row) => <CrmRecordLink record={row} /> },
          { header: 'Seen', cell: (row) => <Time at={row.checkedAt} /> },
        ]}
      />
      <List
        title="Received"
        rows={requests}
        keyOf={(row) => row.id}
        columns={[
          { header: 'When', cell: (row) => <ExactTime at={row.receivedAt} /> },
          { header: 'Outcome', align: 'wide', cell: (row) => row.outcome ?? 'not processed yet' },
          {
            header: 'Source',
            align: 'number',
            cell: (row) => <Link href={`/sources/${row.sourceId}`}>{row.sourceId}</Link>,
          },
          { header: 'Request', align: 'number', cell: (row) => <RequestLink id={row.id} /> },
        ]}
      />
      <List
        title="Events"
        rows={events}
        keyOf={(row) => row.id}
        columns={[
          { header: 'Received', cell: (row) => <ExactTime at={row.receivedAt} /> },
          { header: 'Type', cell: (row) => <Tag>{row.eventType}</Tag> },
          { header: 'As', align: 'wide', cell: (row) => row.toEmail },
          {
            header: 'Held',
            cell: (row) =>
              row.heldUntil === null ? (
                ''
              ) : (
                <>
                  dropped <Time at={row.heldUntil} />
                </>
              ),
          },
          {
            header: 'Source',
            align: 'number',
            cell: (row) => <Link href={`/sources/${row.sourceId}`}>{row.sourceId}</Link>,
          },
          { header: 'Request', align: 'number', cell: (row) => <RequestLink id={row.requestId} /> },
          { header: 'Event', align: 'number', cell: (row) => row.id },
        ]}
      />
      <List
        title="Calls to CRMs"
        rows={syncs}
        keyOf={(row) => row.id}
        columns={[
          { header: 'When', cell: (row) => <ExactTime at={row.createdAt} /> },
          { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
          { header: 'Type', cell: (row) => <Tag>{row.eventType}</Tag> },
          { header: 'Error', align: 'wide', cell: (row) => errorText(row.error) },
          {
            header: 'Connection',
            align: 'number',
            cell: (row) => <Link href={`/connections/${row.connectionId}`}>{row.connectionId}</Link>,
          },
          { header: 'Request', align: 'number', cell: (row) => <RequestLink id={row.requestId} /> },
          {
            header: 'Sync',
            align: 'number',
            cell: (row) => (row.retryOfSyncId === null ? row.id : `${row.id}, retry of ${row.retryOfSyncId}`),
          },
        ]}
      />
      <List
        title="Forwarded"
        rows={deliveries}
        keyOf={(row) => row.id}
        columns={[
          { header: 'When', cell: (row) => <ExactTime at={row.createdAt} /> },
          { header: 'Outcome', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
          { header: 'HTTP', align: 'number', cell: (row) => row.httpStatus ?? '–' },
          {
            header: 'Destination',
            align: 'wide',
            cell: (row) => <Link href={`/destinations/${row.destinationId}`}>{row.destinationUrl}</Link>,
          },
          { header: 'Error', align: 'wide', cell: (row) => row.error },
          { header: 'Request', align: 'number', cell: (row) => <RequestLink id={row.requestId} /> },
          { header: 'Delivery', align: 'number', cell: (row) => row.id },
        ]}
      />
      <List
        title="Mailed to sales reps"
        rows={mails}
        keyOf={(row) => row.id}
        columns={[
          { header: 'State', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
          { header: 'Relay', cell: (row) => <Link href={`/relays/${row.relayId}`}>{row.relayId}</Link> },
          { header: 'Due', cell: (row) => <Time at={row.dueAt} /> },
          { header: 'Ended', cell: (row) => <Time at={row.endedAt} /> },
          { header: 'Error', align: 'wide', cell: (row) => row.error },
        ]}
      />
      <List
        title="On block lists"
        rows={blocked}
        keyOf={(row) => `${row.blocklistId} ${row.value}`}
        columns={[
          { header: 'List', align: 'wide', cell: (row) => <Link href="/blocklists">{row.listName}</Link> },
          { header: 'Sequencer', cell: (row) => row.platform },
          { header: 'Entry', align: 'wide', cell: (row) => row.value },
          { header: 'State', cell: (row) => <Status tone={toneOf(row.state)}>{row.state}</Status> },
        ]}
      />
    </>
  );
}

function Outreach({ outreach }: { outreach: PersonStory['outreach'] }) {
  const { found, summary, platforms, outcomes, doNotContact } = outreach;
  if (!found)
    return <Empty>Nothing that was written or forwarded names this person. Payloads may still name them.</Empty>;
  return (
    <Section title="Outreach">
      <Facts
        facts={[
          [
            'May be contacted',
            doNotContact.value ? (
              <Status key="no" tone="bad">
                no: {doNotContact.reasons.join(', ')}
              </Status>
            ) : (
              <Status key="yes" tone="good">
                yes
              </Status>
            ),
          ],
          ['Events', summary.totalEvents.toLocaleString('en')],
          ['First touch', <Time key="first" at={summary.firstTouchAt} />],
          ['Last touch', <Time key="last" at={summary.lastTouchAt} />],
          ['Last reply', <Time key="reply" at={outcomes.lastReplyAt} none="none" />],
          outcomes.lastCategoryName !== null && ['Category', outcomes.lastCategoryName],
          ['Platforms', platforms.map((each) => `${each.platform} (${each.count})`).join(', ')],
        ]}
      />
    </Section>
  );
}

/** A section that is there when it has rows. */
function List<Row>({
  title,
  rows,
  keyOf,
  columns,
}: {
  title: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  columns: readonly Column<Row>[];
}) {
  if (rows.length === 0) return null;
  return (
    <Section title={title}>
      <Table label={title} rows={rows} keyOf={keyOf} empty={null} columns={columns} />
    </Section>
  );
}

function RequestLink({ id }: { id: number | null }) {
  return id === null ? '–' : <Link href={`/requests/${id}`}>{id}</Link>;
}
