/** What was written to the CRMs in each of the last 24 hours, as bars and as a table. */
import { useAccountId } from '../../data/account.tsx';
import { type AdminResult, useOperation } from '../../data/operations.ts';
import { classes } from '../../parts/classes.ts';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import styles from './day-chart.module.css';

type Hour = AdminResult<'accounts/activity'>['hours'][number];

/** The current hour grows. */
const REFRESH_MS = 60_000;
/** Units of the drawing, which is stretched to the width of the page. */
const HEIGHT = 100;
const BAR = 10;
const GAP = 2;

export function DayChart() {
  const id = useAccountId();
  const activity = useOperation('accounts/activity', { id }, { refetchInterval: REFRESH_MS });
  return (
    <Loaded query={activity}>
      {({ hours }) => (
        <figure className={styles['figure']}>
          <figcaption className={styles['caption']}>
            <span>Written to CRMs by hour, at most {most(hours).toLocaleString('en')}</span>
            <span className={classes(styles['key'], styles['good'])}>without errors</span>
            <span className={classes(styles['key'], styles['bad'])}>errors</span>
          </figcaption>
          <Bars hours={hours} />
          <details>
            <summary>Numbers of each hour</summary>
            <Table
              label="Numbers of each hour"
              rows={hours.toReversed()}
              keyOf={(row) => row.hour}
              empty={null}
              columns={[
                { header: 'Hour', cell: (row) => clock(row.hour) },
                { header: 'Received', align: 'number', cell: (row) => row.received.toLocaleString('en') },
                { header: 'Written', align: 'number', cell: (row) => row.written.toLocaleString('en') },
                { header: 'Warnings', align: 'number', cell: (row) => row.warnings.toLocaleString('en') },
                { header: 'Errors', align: 'number', cell: (row) => row.errors.toLocaleString('en') },
              ]}
            />
            <CommandHint operation="accounts/activity" input={{ id }} />
          </details>
        </figure>
      )}
    </Loaded>
  );
}

function Bars({ hours }: { hours: readonly Hour[] }) {
  const scale = HEIGHT / Math.max(1, most(hours));
  const first = hours[0];
  const middle = hours[Math.floor(hours.length / 2)];
  return (
    <div>
      <svg
        className={styles['bars']}
        viewBox={`0 0 ${hours.length * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {hours.map((hour, index) => (
          <g key={hour.hour}>
            <title>{describeHour(hour)}</title>
            {/* An hour without events can be pointed at too. */}
            <rect className={styles['hour']} x={index * (BAR + GAP)} y={0} width={BAR} height={HEIGHT} />
            <Bar index={index} height={totalOf(hour) * scale} tone="good" />
            <Bar index={index} height={hour.errors * scale} tone="bad" />
          </g>
        ))}
      </svg>
      <div className={styles['times']} aria-hidden="true">
        <span>{first && clock(first.hour)}</span>
        <span>{middle && clock(middle.hour)}</span>
        <span>now</span>
      </div>
    </div>
  );
}

function Bar({ index, height, tone }: { index: number; height: number; tone: 'good' | 'bad' }) {
  if (height === 0) return null;
  // One error among thousands is seen too.
  const seen = Math.max(2, height);
  return <rect className={styles[tone]} x={index * (BAR + GAP)} y={HEIGHT - seen} width={BAR} height={seen} />;
}

function totalOf({ written, warnings, errors }: Hour): number {
  return written + warnings + errors;
}

function most(hours: readonly Hour[]): number {
  return Math.max(...hours.map(totalOf));
}

function describeHour(hour: Hour): string {
  return `${clock(hour.hour)}: ${(hour.written + hour.warnings).toLocaleString('en')} written, ${hour.errors.toLocaleString('en')} errors`;
}

/** In the time of the browser. */
function clock(instant: string): string {
  return new Date(instant).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
