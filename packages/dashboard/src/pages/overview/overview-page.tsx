import { useAccountId, useAccountStatus, useApi } from '../../data/account.tsx';
import { useOperation } from '../../data/operations.ts';
import { TextHint } from '../../forms/command-hint.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { ConnectionsTable } from '../connections/connections-table.tsx';
import { Issues } from '../connections/issues.tsx';
import { DayChart } from './day-chart.tsx';
import { type Counted, Numbers } from './numbers.tsx';

const DAY_MS = 24 * 60 * 60 * 1000;
/** What is older than a day leaves the numbers without an event that tells it. */
const REFRESH_MS = 60_000;

export default function OverviewPage() {
  const status = useAccountStatus();
  return (
    <Page title="Overview">
      <Loaded query={status}>
        {({ ready, connections, blockers, warnings }) =>
          connections.length === 0 ? (
            <Empty
              action={
                <ButtonLink kind="primary" href="~/start">
                  Set it up
                </ButtonLink>
              }
            >
              This account has no connection yet: connect a CRM first.
            </Empty>
          ) : (
            <>
              <Notice tone={ready ? 'good' : 'bad'}>
                {ready
                  ? 'Ready: events are written to every connected CRM.'
                  : `Not ready: ${blockers.length === 1 ? 'one connection' : `${blockers.length} connections`} cannot be written to.`}
              </Notice>
              {blockers.length + warnings.length > 0 && (
                <Section title="To mend">
                  <Issues issues={[...blockers, ...warnings]} />
                </Section>
              )}
            </>
          )
        }
      </Loaded>
      <LastDay />
      <WaitingWork />
      <Section title="Connections">
        <ConnectionsTable empty={<Empty>No CRM is connected yet.</Empty>} />
      </Section>
      <TextHint command="svc status" />
    </Page>
  );
}

function LastDay() {
  const metrics = useApi(
    ['metrics', 'last day'],
    (client) => client.account.metrics({ from: new Date(Date.now() - DAY_MS) }),
    { refetchInterval: REFRESH_MS },
  );
  return (
    <Section title="Last 24 hours">
      <Loaded query={metrics}>
        {({ requests, syncs, destinationDeliveries }) => (
          <Numbers
            label="Last 24 hours"
            numbers={
              [
                { what: 'Requests received', count: requests.count, href: '/requests' },
                { what: 'Written to the CRM', count: syncs.success, href: '/syncs?status=success' },
                { what: 'With a warning', count: syncs.warning, href: '/syncs?status=warning', tone: 'warn' },
                { what: 'Errors', count: syncs.error, href: '/syncs?status=error', tone: 'bad' },
                { what: 'Forwarded', count: destinationDeliveries.success, href: '/deliveries?status=success' },
                {
                  what: 'Not forwarded',
                  count: destinationDeliveries.error,
                  href: '/deliveries?status=error',
                  tone: 'bad',
                },
              ] satisfies Counted[]
            }
          />
        )}
      </Loaded>
      <DayChart />
    </Section>
  );
}

/** The page counts no further. */
const WAITING_MAX = 1_000;
const JOBS_MAX = 100;

function WaitingWork() {
  const accountId = useAccountId();
  const requests = useOperation('requests/list', { accountId, outcome: 'waiting', limit: WAITING_MAX });
  const jobs = useOperation('jobs/list', { limit: JOBS_MAX });
  return (
    <Section title="Waiting">
      <Loaded query={requests}>
        {({ requests: rows }) => {
          const oldest = rows.at(-1);
          return oldest === undefined ? (
            <p>All received requests are processed.</p>
          ) : (
            <p>
              {countUpTo(rows.length, WAITING_MAX)} {rows.length === 1 ? 'request waits' : 'requests wait'} to be
              processed; the oldest was received <Time at={oldest.createdAt} />.
            </p>
          );
        }}
      </Loaded>
      {jobs.data !== undefined && jobs.data.jobs.length > 0 && (
        <Notice
          tone="warn"
          action={
            <ButtonLink isSmall href="~/health">
              Show them
            </ButtonLink>
          }
        >
          {countUpTo(jobs.data.jobs.length, JOBS_MAX)} jobs of the installation threw the same error again and again,
          and were set aside.
        </Notice>
      )}
    </Section>
  );
}

function countUpTo(count: number, max: number): string {
  return `${count < max ? '' : 'At least '}${count.toLocaleString('en')}`;
}
