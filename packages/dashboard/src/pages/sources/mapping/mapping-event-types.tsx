/** What each event name is. Names that the sample and the last requests have, and the mapping does not know, stand there too. */
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { comparableEventName } from '@svc/domain/mappings/event-name';
import { type ReactNode, useState } from 'react';
import type { AdminResult } from '../../../data/operations.ts';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/field.tsx';
import { entriesOf, isObject, withValue } from './mapping-draft.ts';
import type { FormContext } from './mapping-form-context.ts';
import { Group } from './mapping-group.tsx';
import { describePart } from './mapping-schema.ts';
import styles from './mapping.module.css';

type SeenNames = AdminResult<'sources/try'>['eventNames'];

const TYPES = Object.keys(SEQUENCER_EVENT_TYPES);
const CATEGORY = 'LEAD_CATEGORY_UPDATED';
/** In the list of types: an event that is a category of the lead, which the mapping names. */
const NAMED_CATEGORY = 'category';

export function EventTypes({ form, seen }: { form: FormContext; seen: SeenNames }) {
  const entries = entriesOf(form.mapping, 'eventTypes');
  const known = new Set(entries.map(([name]) => comparableEventName(name)));
  const unknown = seen.filter(({ name, becomes }) => becomes === null && !known.has(comparableEventName(name)));
  const countOf = (name: string) =>
    seen.find((each) => comparableEventName(each.name) === comparableEventName(name))?.count;
  const set = (name: string, type: unknown) => form.change(withValue(form.mapping, ['eventTypes', name], type));
  return (
    <Group label="Event types" hint={`${describePart('eventTypes')}.`} count={entries.length} isOpen>
      {unknown.map(({ name, count }) => (
        <EventType
          key={name}
          name={name}
          count={count}
          isNew
          isEditable={form.isEditable}
          onChange={(type) => set(name, type)}
        />
      ))}
      {entries.map(([name, type]) => (
        <EventType
          key={name}
          name={name}
          type={type}
          count={countOf(name)}
          problem={form.problemsAt(['eventTypes', name])[0]?.message}
          isEditable={form.isEditable}
          onChange={(next) => set(name, next)}
          onRemove={() => set(name, undefined)}
        />
      ))}
      {form.isEditable && (
        <AddName
          label="Another event name"
          hint="As the payload writes it, such as email.opened; * is every other name."
          onAdd={(name) => set(name, TYPES[0])}
        />
      )}
    </Group>
  );
}

function EventType({
  name,
  type,
  count,
  isNew = false,
  problem,
  isEditable,
  onChange,
  onRemove,
}: {
  name: string;
  type?: unknown;
  count: number | undefined;
  isNew?: boolean;
  problem?: string | undefined;
  isEditable: boolean;
  onChange: (type: unknown) => void;
  onRemove?: () => void;
}) {
  const category = isObject(type) && typeof type['category'] === 'string' ? type['category'] : null;
  const value = typeof type === 'string' ? type : category === null ? '' : NAMED_CATEGORY;
  const label = name === '*' ? 'Every other name' : name;
  return (
    <div className={styles['event']} role="group" aria-label={`Event name ${label}`}>
      <span className={styles['name']}>
        <code>{label}</code> {isNew && <span className={styles['new']}>not known yet</span>}
        {count !== undefined && <span className={styles['hint']}> {count} seen</span>}
      </span>
      <select
        className={styles['path']}
        aria-label={`What ${label} is`}
        aria-invalid={problem !== undefined}
        disabled={!isEditable}
        value={value}
        onChange={({ target }) =>
          onChange(target.value === NAMED_CATEGORY ? { type: CATEGORY, category: name } : target.value || undefined)
        }
      >
        {value === '' && <option value="">Choose …</option>}
        <option value="ignored">ignored: it is not wanted</option>
        <option value={NAMED_CATEGORY}>a category of the lead</option>
        {TYPES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
        {value !== '' && value !== 'ignored' && value !== NAMED_CATEGORY && !TYPES.includes(value) && (
          <option value={value}>{value}</option>
        )}
      </select>
      {category !== null && (
        <input
          className={styles['path']}
          aria-label={`Category of ${label}`}
          readOnly={!isEditable}
          value={category}
          onChange={({ target }) => onChange({ type: CATEGORY, category: target.value })}
        />
      )}
      {onRemove !== undefined && isEditable && (
        <Button isSmall kind="plain" aria-label={`Remove event name ${label}`} onClick={onRemove}>
          ×
        </Button>
      )}
      {problem !== undefined && <span className={styles['problem']}>It {problem}.</span>}
    </div>
  );
}

export function AddName({
  label,
  hint,
  onAdd,
  children,
}: {
  label: string;
  hint: string;
  onAdd: (name: string) => void;
  children?: ReactNode;
}) {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() === '') return;
    onAdd(name.trim());
    setName('');
  };
  return (
    <div className={styles['add']}>
      <TextField
        label={label}
        hint={hint}
        isMono
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <Button isSmall disabled={name.trim() === ''} onClick={add}>
        Add
      </Button>
      {children}
    </div>
  );
}
