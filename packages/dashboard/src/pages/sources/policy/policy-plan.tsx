/** What would be written of one received request, with the policy that holds and with the edited one. */
import { useState } from 'react';
import { useDebounced } from '../../../data/debounced.ts';
import { useFilters } from '../../../data/filters.ts';
import { type AdminResult, useOperation } from '../../../data/operations.ts';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { classes } from '../../../parts/classes.ts';
import { SelectField, TextArea } from '../../../parts/field.tsx';
import { Empty, Loaded, Notice, Section } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status.tsx';
import type { PolicyOwner } from './policy-document.ts';
import { type ComparedRow, comparePlans, planRows, type TriedWrite } from './policy-plan-rows.ts';
import styles from './policy.module.css';
import type { ShownSource } from '../source-frame.tsx';

const LAST = 20;
/** The choice of a payload that no request has. */
const PASTED = 'payload';

/** @param document the edited policy; null when it is the one that holds, or is not valid */
export function PolicyPlan({
  source,
  owner,
  document,
}: {
  source: ShownSource;
  owner: PolicyOwner;
  document: object | null;
}) {
  const { values, set } = useFilters(['request', 'contact']);
  const [payload, setPayload] = useState('');
  // A newer request does not take the place of the one that somebody looks at.
  const [first, setFirst] = useState<number | null>(null);
  const settledPayload = useDebounced(payload);
  const contact = values.contact === 'known' ? 'known' : 'unknown';
  const last = useOperation('requests/list', { sourceId: source.id, limit: LAST });
  const newest = last.data?.requests.find(isReadable)?.id;
  if (first === null && newest !== undefined) setFirst(newest);
  return (
    <Section title="What would be written">
      <Loaded query={last}>
        {({ requests }) => {
          const chosen = values.request === '' ? String(first ?? PASTED) : values.request;
          const isListed = chosen === PASTED || requests.some(({ id }) => String(id) === chosen);
          const tried =
            chosen !== PASTED
              ? { requestId: Number(chosen) }
              : settledPayload.trim() === ''
                ? null
                : { payload: settledPayload };
          const input = { id: source.id, contact, ...tried } as const;
          const edited =
            document === null ? null : owner.kind === 'source' ? { policy: document } : { connectionPolicy: document };
          return (
            <>
              <div className={styles['choices']}>
                <SelectField label="Request" value={chosen} onChange={(event) => set({ request: event.target.value })}>
                  {!isListed && <option value={chosen}>{chosen}</option>}
                  {requests.map((request) => (
                    <option key={request.id} value={request.id}>
                      {request.id}: {request.eventTypes.join(', ') || request.outcome}
                    </option>
                  ))}
                  <option value={PASTED}>a payload that I paste</option>
                </SelectField>
                <SelectField
                  label="The CRM has the contact"
                  value={contact}
                  onChange={(event) => set({ contact: event.target.value === 'known' ? 'known' : '' })}
                >
                  <option value="unknown">no</option>
                  <option value="known">yes</option>
                </SelectField>
              </div>
              {chosen === PASTED && (
                <TextArea
                  label="Payload"
                  hint="As the sequencer posts it. It is not stored."
                  isMono
                  rows={6}
                  spellCheck={false}
                  value={payload}
                  onChange={(event) => setPayload(event.target.value)}
                />
              )}
              {tried === null ? (
                <Empty>No request was received yet. Paste a payload to see what would be written of it.</Empty>
              ) : (
                <Plans source={source} input={input} edited={edited} />
              )}
              <CommandHint operation="sources/try-policy" input={{ ...input, ...edited }} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function isReadable({ eventTypes }: AdminResult<'requests/list'>['requests'][number]): boolean {
  return eventTypes.length > 0;
}

interface Tried {
  readonly id: number;
  readonly contact: 'known' | 'unknown';
  readonly requestId?: number;
  readonly payload?: string;
}

function Plans({
  source,
  input,
  edited,
}: {
  source: ShownSource;
  input: Tried;
  edited: { policy?: object; connectionPolicy?: object } | null;
}) {
  // The connector runs for it, so live events do not repeat it.
  const now = useOperation('sources/try-policy', input, { refetchesByItself: false });
  const then = useOperation(
    'sources/try-policy',
    { ...input, ...edited },
    { enabled: edited !== null, refetchesByItself: false },
  );
  const { destinations } = source;
  return (
    <>
      <Loaded query={now}>
        {({ writes, notices }) => (
          <>
            {notices.map((notice) => (
              <Notice key={notice}>{notice}</Notice>
            ))}
            {then.error !== null && edited !== null && <Notice tone="bad">{then.error.message}</Notice>}
            {writes.map((write, index) => (
              <EventPlan
                key={index}
                write={write}
                edited={edited === null ? null : (then.data?.writes[index] ?? null)}
                contact={input.contact}
              />
            ))}
          </>
        )}
      </Loaded>
      <p>
        {destinations.length === 0
          ? 'It is forwarded to no destination.'
          : `It is forwarded to ${destinations.map(({ url }) => url).join(', ')}, where the binding takes its type.`}{' '}
        A policy changes neither what is forwarded nor what is mailed.
      </p>
    </>
  );
}

function EventPlan({
  write,
  edited,
  contact,
}: {
  write: TriedWrite;
  edited: TriedWrite | null;
  contact: Tried['contact'];
}) {
  const before = planRows(write, contact);
  const rows = comparePlans(before, edited === null ? before : planRows(edited, contact));
  const count = rows.filter(({ differs }) => differs).length;
  const label = `Plan of ${write.eventType} of ${write.toEmail}`;
  return (
    <div>
      <h3>
        <Tag>{write.eventType}</Tag> of {write.toEmail}
        {edited !== null && `: ${count === 0 ? 'nothing changes' : `${count} of ${rows.length} rows differ`}`}
      </h3>
      <div className={styles['plan']} tabIndex={0} role="region" aria-label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Policy in force</th>
              {edited !== null && <th scope="col">Edited policy</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} className={classes(row.differs && styles['differs'])}>
                <th scope="row">
                  {row.name}
                  {row.differs && <span className={styles['mark']}>differs</span>}
                </th>
                <td>
                  <Value row={row.before} />
                </td>
                {edited !== null && (
                  <td>
                    <Value row={row.after} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Value({ row }: { row: ComparedRow['before'] }) {
  if (row === null) return '–';
  if (row.detail === undefined) return row.text;
  return (
    <details>
      <summary>{row.text}</summary>
      <pre tabIndex={0}>{row.detail}</pre>
    </details>
  );
}
