/** Fields that some events have elsewhere: on many platforms the lead is the sender of a reply, and the recipient of other mails. */
import type { AdminResult } from '../../../data/operations.ts';
import { Button } from '../../../parts/button.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { entriesOf, isObject, withValue } from './mapping-draft.ts';
import { AddName } from './mapping-event-types.tsx';
import type { FormContext } from './mapping-form-context.ts';
import { Group } from './mapping-group.tsx';
import { PlacesField } from './mapping-places.tsx';
import { labelOf } from '../../../forms/label.ts';
import { describePart, FIELD_GROUPS, JOINED } from './mapping-schema.ts';
import styles from './mapping.module.css';

/** The name of an event is known before its other fields. */
const FIELDS: readonly string[] = FIELD_GROUPS.flatMap(({ fields }) => fields).filter((name) => name !== 'eventName');

export function SomeEvents({ form, seen }: { form: FormContext; seen: AdminResult<'sources/try'>['eventNames'] }) {
  const entries = entriesOf(form.mapping, 'when');
  const example = seen[0]?.name ?? 'email.replied';
  return (
    <Group label="Fields of some events" hint={`${describePart('when')}.`} count={entries.length}>
      {entries.map(([name, fields]) => (
        <EventFields key={name} form={form} name={name} fields={isObject(fields) ? Object.keys(fields) : []} />
      ))}
      {form.isEditable && (
        <AddName
          label="Events with other fields"
          hint={`An event name such as ${example}, or a type such as EMAIL_REPLY.`}
          onAdd={(name) => form.change(withValue(form.mapping, ['when', name], {}))}
        />
      )}
    </Group>
  );
}

function EventFields({ form, name, fields }: { form: FormContext; name: string; fields: readonly string[] }) {
  const path = ['when', name];
  const set = (field: string, value: unknown) => form.change(withValue(form.mapping, [...path, field], value));
  const others = FIELDS.filter((field) => !fields.includes(field)).map((field) => (
    <option key={field} value={field}>
      {labelOf(field)}
    </option>
  ));
  return (
    <div className={styles['some']} role="group" aria-label={`Fields of ${name}`}>
      <span>
        <code>{name}</code>{' '}
        {form.isEditable && (
          <Button
            isSmall
            kind="plain"
            aria-label={`Remove the fields of ${name}`}
            onClick={() => form.change(withValue(form.mapping, path, undefined))}
          >
            ×
          </Button>
        )}
      </span>
      {fields.map((field) => (
        <PlacesField
          key={field}
          form={form}
          label={`${labelOf(field)} of ${name}`}
          path={[...path, field]}
          isJoinable={JOINED.has(field)}
          onRemove={() => set(field, undefined)}
        />
      ))}
      {form.isEditable && (
        <div className={styles['add']}>
          <SelectField label={`Another field of ${name}`} value="" onChange={({ target }) => set(target.value, '')}>
            <option value="">Choose …</option>
            {others}
          </SelectField>
          <SelectField
            label={`A field that ${name} does not have`}
            value=""
            onChange={({ target }) => set(target.value, null)}
          >
            <option value="">Choose …</option>
            {others}
          </SelectField>
        </div>
      )}
    </div>
  );
}
