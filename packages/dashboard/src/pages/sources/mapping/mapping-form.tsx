/** A mapping as a form. Each change is a change of its JSON, of which the form shows what it knows. */
import { type ReactNode, useId } from 'react';
import { SelectField, TextField } from '../../../parts/field.tsx';
import type { AdminResult } from '../../../data/operations.ts';
import { type RawMapping, type Target, valueAt, withValue } from './mapping-draft.ts';
import { EventTypes } from './mapping-event-types.tsx';
import type { FormContext } from './mapping-form-context.ts';
import { Group } from './mapping-group.tsx';
import { isSamePath, PlacesField } from './mapping-places.tsx';
import { labelOf } from '../../../forms/label.ts';
import { CONSTANTS, describeField, describePart, FIELD_GROUPS, JOINED, type Problem } from './mapping-schema.ts';
import { SomeEvents } from './mapping-some-events.tsx';
import styles from './mapping.module.css';

type Tried = AdminResult<'sources/try'>;

export function MappingForm({
  mapping,
  isEditable,
  onChange,
  target,
  onAim,
  problems,
  paths,
  tried,
}: {
  mapping: RawMapping;
  isEditable: boolean;
  onChange: (mapping: RawMapping) => void;
  target: Target | null;
  onAim: (target: Target) => void;
  problems: readonly Problem[];
  /** Paths of the sample, and what is there. */
  paths: readonly { path: string; text: string }[];
  tried: Tried | undefined;
}) {
  const pathsId = useId();
  const form: FormContext = {
    mapping,
    isEditable,
    change: onChange,
    target,
    aim: onAim,
    problemsAt: (path) => problems.filter((problem) => isSamePath(problem.path.slice(0, path.length), path)),
    pathsId,
  };
  const read = readingsOf(tried);
  return (
    <div className={styles['form']}>
      <datalist id={pathsId}>
        {paths.map(({ path, text }) => (
          <option key={path} value={path} label={text} />
        ))}
      </datalist>
      <Fields group={FIELD_GROUPS[0]} form={form} read={read} isOpen>
        <DateOrder form={form} />
      </Fields>
      <EventTypes form={form} seen={tried?.eventNames ?? []} />
      {FIELD_GROUPS.slice(1).map((group) => (
        <Fields key={group.label} group={group} form={form} read={read} isOpen={group.label === 'Lead'} />
      ))}
      <SomeEvents form={form} seen={tried?.eventNames ?? []} />
      <Group
        label="Constants"
        hint={`${describePart('constants')}.`}
        count={CONSTANTS.filter((name) => valueAt(mapping, ['constants', name]) !== undefined).length}
      >
        {CONSTANTS.map((name) => (
          <Constant key={name} form={form} name={name} />
        ))}
      </Group>
      <Group label="Several events in one body" count={valueAt(mapping, ['items']) === undefined ? 0 : 1}>
        <PlacesField form={form} label="List of events" hint={describePart('items')} path={['items']} />
      </Group>
    </div>
  );
}

function Fields({
  group: { label, fields },
  form,
  read,
  isOpen,
  children,
}: {
  group: (typeof FIELD_GROUPS)[number];
  form: FormContext;
  /** What the sample has, by field. */
  read: ReadonlyMap<string, string>;
  isOpen: boolean;
  children?: ReactNode;
}) {
  const count = fields.filter((name) => valueAt(form.mapping, ['fields', name]) !== undefined).length;
  return (
    <Group label={label} isOpen={isOpen} count={count}>
      {fields.map((name) => (
        <PlacesField
          key={name}
          form={form}
          label={labelOf(name)}
          hint={describeField(name)}
          path={['fields', name]}
          isJoinable={JOINED.has(name)}
          read={read.get(name)}
        />
      ))}
      {children}
    </Group>
  );
}

/** What the first event of the sample has, by field. */
function readingsOf(tried: Tried | undefined): ReadonlyMap<string, string> {
  const byField = new Map<string, string>();
  for (const { field, value } of tried?.items[0]?.fields ?? []) {
    const before = byField.get(field);
    byField.set(field, before === undefined ? value : `${before}, ${value}`);
  }
  return byField;
}

function DateOrder({ form }: { form: FormContext }) {
  const value = valueAt(form.mapping, ['dateOrder']);
  return (
    <SelectField
      label="Date order"
      hint={`${describePart('dateOrder')}.`}
      disabled={!form.isEditable}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => form.change(withValue(form.mapping, ['dateOrder'], event.target.value || undefined))}
    >
      <option value="">Such dates are not read</option>
      <option value="day-first">Day first</option>
      <option value="month-first">Month first</option>
    </SelectField>
  );
}

function Constant({ form, name }: { form: FormContext; name: string }) {
  const path = ['constants', name];
  const value = valueAt(form.mapping, path);
  const [problem] = form.problemsAt(path);
  return (
    <TextField
      label={labelOf(name)}
      error={problem === undefined ? null : `It ${problem.message}.`}
      readOnly={!form.isEditable}
      autoComplete="off"
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => form.change(withValue(form.mapping, path, event.target.value || undefined))}
    />
  );
}
