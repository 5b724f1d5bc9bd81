/** The story of one request: what was received, what was read from it, and what became of that. */
import { Link, useParams } from 'wouter';
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
        <Notice
          tone="warn"
          action={
            <ButtonLink isSmall href={`/sources/${sourceId}`}>
              Set the mapping
            </ButtonLink>
          }
        >
          No adapter understands this payload. A mapping of the source says how such payloads are read.
        </Notice>
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
            { header: 'Person', align: 'wide', cell: (event) => event.toEmail },
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
