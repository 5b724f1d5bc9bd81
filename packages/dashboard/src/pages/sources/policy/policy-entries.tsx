/** Fields of a write policy for lists of texts, numbers or choices. */
import { useContext, useState } from 'react';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { ChoicesField, TextArea } from '../../../parts/field.tsx';
import { marksBelow, type SchemaNode } from './policy-document.ts';
import { type FieldProps, Marks, MarksContext, problemsIn } from './policy-marks.tsx';

const EVENT_TYPES = Object.keys(SEQUENCER_EVENT_TYPES);

/** A list of texts, numbers or choices. */
export function Entries({ schema, path, label, value, onChange, isRequired }: FieldProps) {
  const marks = marksBelow(useContext(MarksContext), path);
  const entries: unknown[] = Array.isArray(value) ? value : [];
  // Without an entry, an optional list is left out.
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next);
  const known = path.endsWith('when.types') ? EVENT_TYPES : schema.items?.enum;
  if (known === undefined) {
    return <Lines schema={schema} label={label} entries={entries} onChange={set} error={problemsIn(marks)} />;
  }
  const texts = entries.map(String);
  const field = (
    <ChoicesField
      label={known.length > 6 ? <span className="visually-hidden">{label}</span> : label}
      hint={schema.description}
      choices={[...new Set([...known, ...texts])].map((choice) => ({ value: choice, label: choice }))}
      value={texts}
      onChange={set}
    />
  );
  return (
    <div>
      {known.length > 6 ? (
        <details>
          <summary>
            {label}: {texts.join(', ') || 'none chosen'}
          </summary>
          {field}
        </details>
      ) : (
        field
      )}
      <Marks marks={marks} path={path} />
    </div>
  );
}

/** One entry a line. The text is kept as it is typed, with lines that are still empty. */
function Lines({
  schema,
  label,
  entries,
  onChange,
  error,
}: {
  schema: SchemaNode;
  label: string;
  entries: readonly unknown[];
  onChange: (entries: readonly unknown[]) => void;
  error: string | null;
}) {
  const [typed, setTyped] = useState('');
  const isNumber = schema.items?.type === 'integer';
  const parse = (text: string): unknown[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => (isNumber && /^\d+$/.test(line) ? Number(line) : line));
  const text = JSON.stringify(parse(typed)) === JSON.stringify(entries) ? typed : entries.map(String).join('\n');
  return (
    <TextArea
      label={`${label}, one a line`}
      hint={schema.description}
      error={error}
      rows={Math.min(8, Math.max(1, text.split('\n').length))}
      value={text}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(parse(event.target.value));
      }}
    />
  );
}
