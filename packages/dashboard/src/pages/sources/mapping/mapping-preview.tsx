/** What the unsaved mapping makes of the sample, and of the newest requests. */
import { Link } from 'wouter';
import type { AdminResult } from '../../../data/operations.ts';
import { Code } from '../../../parts/copy.tsx';
import { Notice, Section } from '../../../parts/page.tsx';
import { Status, Tag, type Tone } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { labelOf } from '../../../forms/label.ts';
import styles from './mapping.module.css';

type Tried = AdminResult<'sources/try'>;

export function Preview({
  tried,
  error,
  isWrong,
}: {
  tried: Tried | undefined;
  error: Error | null;
  /** Whether something is wrong with the mapping as it is now. */
  isWrong: boolean;
}) {
  return (
    <Section title="What is read from the sample">
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
      {isWrong && <Notice tone="warn">Correct the mapping to see what it reads now.</Notice>}
      {tried !== undefined && !isWrong && <Events tried={tried} />}
    </Section>
  );
}

function Events({ tried: { outcome, reason, readBy, events, items, warnings } }: { tried: Tried }) {
  return (
    <div className={styles['preview']}>
      {outcome !== 'events' && (
        <Notice tone={outcome === 'ignored' ? 'neutral' : 'warn'}>
          {outcome === 'ignored' ? 'It is ignored' : 'It is not understood'}: {reason}.
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      {events.slice(0, EVENTS_MAX).map((event, index) => (
        <p key={index} className={styles['event']}>
          <Tag>{event.eventType}</Tag> <span>of {event.toEmail}</span>{' '}
          <span className={styles['hint']}>
            {event.occurredAt === null
              ? 'at the time of receipt'
              : event.occurredAt.replace('T', ' ').replace('.000Z', ' UTC')}
            {readBy === 'adapter' && ', read by the adapter'}
          </span>
        </p>
      ))}
      {events.length > EVENTS_MAX && <p>… and {events.length - EVENTS_MAX} more events</p>}
      {readBy === 'adapter'
        ? events.slice(0, 1).map((event, index) => <Code key={index} value={withoutEmpty(event)} label="The event" />)
        : items.slice(0, ITEMS_MAX).map(({ fields, unread }, index) => (
            <div key={index} className={styles['item']}>
              {items.length > 1 && <h3>Event {index + 1}</h3>}
              <Table
                label={`Fields of event ${index + 1}`}
                rows={fields}
                keyOf={({ field, path }) => `${field} ${path ?? ''}`}
                empty="No field was read."
                columns={[
                  { header: 'Field', cell: ({ field }) => labelOf(field) },
                  { header: 'From', cell: ({ path }) => (path === null ? 'constant' : <code>{path}</code>) },
                  { header: 'Value', align: 'wide', cell: ({ value }) => value },
                ]}
              />
              {unread.length > 0 && (
                <details>
                  <summary>{unread.length} values are not read</summary>
                  <ul className={styles['unread']}>
                    {unread.map(({ path, value }, at) => (
                      <li key={at}>
                        <code>{path}</code> {value}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </div>
          ))}
    </div>
  );
}

const EVENTS_MAX = 20;
/** Each has a table. */
const ITEMS_MAX = 3;

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(
    entries.filter(([, inner]) => inner !== null && !/^(\[\]|\{\})$/.test(JSON.stringify(inner))),
  );
}

const OUTCOMES: Readonly<Record<Tried['outcome'], readonly [Tone, string]>> = {
  events: ['good', 'understood'],
  ignored: ['neutral', 'ignored'],
  unparsed: ['warn', 'not understood'],
};

/** The same mapping, tried on what the source received. */
export function NewestRequests({ requests }: { requests: Tried['requests'] }) {
  const total = requests.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  return (
    <Section title={`What is read from the last ${total === 1 ? 'request' : `${total} requests`}`}>
      <Table
        label="What is read from the last requests"
        rows={requests}
        keyOf={({ outcome, what }) => `${outcome} ${what}`}
        empty={null}
        columns={[
          { header: 'Requests', align: 'number', cell: ({ count }) => count },
          {
            header: 'Outcome',
            cell: ({ outcome }) => {
              const [tone, text] = OUTCOMES[outcome];
              return <Status tone={tone}>{text}</Status>;
            },
          },
          { header: 'Events, or why there are none', align: 'wide', cell: ({ what }) => what },
          {
            header: 'Newest',
            align: 'number',
            cell: ({ lastId }) => <Link href={`/requests/${lastId}`}>{lastId}</Link>,
          },
        ]}
      />
    </Section>
  );
}
