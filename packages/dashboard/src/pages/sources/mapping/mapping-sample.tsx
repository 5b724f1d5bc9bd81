/** The payload that a mapping is tried on: one of the last requests, or a pasted text. A click on a value sets the path that has the focus. */
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { AdminResult } from '../../../data/operations.ts';
import { parseJson } from '../../../data/parse-json.ts';
import { SelectField, TextArea } from '../../../parts/field.tsx';
import { Empty } from '../../../parts/page.tsx';
import { CopyText } from '../../../parts/copy.tsx';
import type { Picked, Sample } from './mapping-target.ts';
import { listPayloadLines, type PayloadStep } from './payload-paths.ts';
import styles from './mapping.module.css';

type Request = AdminResult<'requests/list'>['requests'][number];

/** The value of the choice that stands for a pasted text. */
export const PASTED = 'pasted';

export function SampleChoice({
  url,
  requests,
  chosen,
  onChoose,
  pasted,
  onPaste,
}: {
  url: string;
  requests: readonly Request[];
  /** The id of a request, or `pasted`. */
  chosen: string;
  onChoose: (chosen: string) => void;
  pasted: string;
  onPaste: (text: string) => void;
}) {
  const { problem } = pasted.trim() === '' ? { problem: null } : parseJson(pasted);
  return (
    <>
      {requests.length === 0 && (
        <Empty>
          <p>Nothing was posted yet. Let the sequencer post some events to this URL, or paste a payload below.</p>
          <CopyText text={url} label="Copy the URL" />
        </Empty>
      )}
      <SelectField label="Payload of" value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {chosen !== PASTED && !requests.some(({ id }) => String(id) === chosen) && (
          <option value={chosen}>Request {chosen}</option>
        )}
        {requests.map(({ id, outcome, createdAt }) => (
          <option key={id} value={id}>
            Request {id}: {outcome}, {createdAt.slice(0, 16).replace('T', ' ')} UTC
          </option>
        ))}
        <option value={PASTED}>a text that is pasted here</option>
      </SelectField>
      {chosen === PASTED && (
        <TextArea
          label="Payload"
          hint="JSON, as the sequencer posts it. It is tried, and not stored."
          error={problem === null ? null : `${problem}.`}
          isMono
          rows={6}
          spellCheck={false}
          value={pasted}
          onChange={(event) => onPaste(event.target.value)}
        />
      )}
    </>
  );
}

/** @param aim what the next click sets; null when clicks set nothing */
export function Payload({
  sample,
  aim,
  onPick,
}: {
  sample: Sample;
  aim: string | null;
  onPick: (picked: Picked) => void;
}) {
  const { lines, isCut } = useMemo(() => listPayloadLines(sample.body), [sample.body]);
  const headers = Object.entries(sample.headers);
  const group = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const buttons = [...(group.current?.querySelectorAll('button') ?? [])];
    const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  let number = -1;
  const pick = (text: string, of: readonly PayloadStep[] | string) => {
    number += 1;
    const own = number;
    return (
      <button
        type="button"
        className={styles['value']}
        tabIndex={own === current ? 0 : -1}
        onFocus={() => setCurrent(own)}
        onClick={() => onPick(typeof of === 'string' ? { header: of } : { steps: of })}
      >
        {text}
      </button>
    );
  };
  return (
    <>
      {aim !== null && (
        <p className={styles['aim']} role="status">
          A click on a value sets <strong>{aim}</strong>.
        </p>
      )}
      <div
        ref={group}
        className={styles['payload']}
        role="group"
        aria-label="Payload of the sample"
        aria-description="Arrow keys move between values, Enter sets the path."
        tabIndex={aim === null ? 0 : undefined}
        onKeyDown={move}
      >
        {lines.map((line, index) => (
          <div key={index} className={styles['line']} style={{ paddingLeft: `${Math.min(line.depth, 12) * 2}ch` }}>
            {aim !== null && line.steps !== null && line.steps.length > 0 ? pick(line.text, line.steps) : line.text}
          </div>
        ))}
        {isCut && <div className={styles['line']}>… more is not shown</div>}
        {headers.length > 0 && <div className={styles['headers']}>Headers and parameters</div>}
        {headers.map(([name, value]) => (
          <div key={name} className={styles['line']}>
            {aim === null ? `${name}: ${value}` : pick(`${name}: ${value}`, name)}
          </div>
        ))}
      </div>
    </>
  );
}
