/** Fields of the filters that logs have in common. */
import { useConnectionChoices, useSourceChoices } from '../../data/choices.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { DEFAULT_RANGE, fromLocalField, RANGES, type RangeFilter, toLocalField } from './log-range.ts';

export const RANGE_FILTERS = ['range', 'from', 'to'] as const;

interface Choice {
  readonly value: string | number;
  readonly label: string;
}

export function ChoiceFilter({
  label,
  value,
  choices,
  onChange,
  all = 'All',
}: {
  label: string;
  value: string;
  choices: readonly (Choice | string)[];
  onChange: (value: string) => void;
  all?: string;
}) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{all}</option>
      {choices.map((choice) => {
        const option = typeof choice === 'string' ? { value: choice, label: choice } : choice;
        return (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        );
      })}
    </SelectField>
  );
}

/** @param any label of the choice without a range. Default: there is none, and the range is the default one */
export function RangeFields({
  values,
  onChange,
  any,
}: {
  values: RangeFilter;
  onChange: (changes: Partial<RangeFilter>) => void;
  any?: string;
}) {
  const isExact = values.from !== '';
  const usual = any === undefined ? DEFAULT_RANGE : '';
  return (
    <>
      <SelectField
        label="Time"
        value={isExact ? 'exact' : values.range || usual}
        onChange={({ target: { value } }) => {
          if (value === 'exact') {
            const now = new Date();
            onChange({ range: '', from: new Date(now.getTime() - 86_400_000).toISOString(), to: now.toISOString() });
          } else onChange({ range: value === usual ? '' : value, from: '', to: '' });
        }}
      >
        {any !== undefined && <option value="">{any}</option>}
        {Object.keys(RANGES).map((name) => (
          <option key={name} value={name}>
            Last {name}
          </option>
        ))}
        <option value="exact">From … to …</option>
      </SelectField>
      {isExact && (
        <>
          <TextField
            label="From (local time)"
            type="datetime-local"
            value={toLocalField(values.from)}
            onChange={(event) => onChange({ from: fromLocalField(event.target.value) })}
          />
          <TextField
            label="To (local time)"
            type="datetime-local"
            value={toLocalField(values.to)}
            onChange={(event) => onChange({ to: fromLocalField(event.target.value) })}
          />
        </>
      )}
    </>
  );
}

interface IdFieldProps {
  value: string;
  onChange: (value: string) => void;
}

export function ConnectionField(props: IdFieldProps) {
  return <ChoiceFilter label="Connection" choices={useConnectionChoices()} {...props} />;
}

export function SourceField(props: IdFieldProps) {
  const sources = useSourceChoices();
  if (sources !== null) return <ChoiceFilter label="Source" choices={sources} {...props} />;
  return (
    <TextField
      label="Source"
      placeholder="Its id"
      inputMode="numeric"
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}

/** Returns the id of a filter; undefined when there is none. */
export function idOf(value: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined;
}
