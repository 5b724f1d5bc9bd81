/** The paths of one field. The path that has the focus is the one that a click on the payload sets. */
import { useId } from 'react';
import { Button } from '../../../parts/button.tsx';
import { classes } from '../../../parts/classes.ts';
import { fromPlaces, type Places, toPlaces, valueAt, withPart, withValue } from './mapping-draft.ts';
import type { FormContext } from './mapping-form-context.ts';
import styles from './mapping.module.css';

interface PlacesFieldProps {
  form: FormContext;
  label: string;
  hint?: string | undefined;
  /** Where the field is in the mapping: `fields`, `email`. */
  path: readonly string[];
  isJoinable?: boolean;
  /** Takes the field away; absent for a field that is always shown. */
  onRemove?: () => void;
  /** What the sample has there. */
  read?: string | undefined;
}

export function PlacesField({ form, label, hint, path, isJoinable = false, onRemove, read }: PlacesFieldProps) {
  const id = useId();
  const value = valueAt(form.mapping, path);
  const places = toPlaces(value ?? undefined);
  const problems = [...new Set(form.problemsAt(path).map(({ message }) => message))];
  const change = (next: Places) => form.change(withValue(form.mapping, path, fromPlaces(next)));
  const { target } = form;
  const isTarget = target !== null && isSamePath(target.path, path);
  const rows = places === null || places.length > 0 ? places : [['']];
  return (
    <div
      className={classes(styles['places'], isTarget && styles['target'])}
      role="group"
      aria-labelledby={`${id}-label`}
    >
      <span id={`${id}-label`} className={styles['label']}>
        {label}
      </span>
      <div className={styles['paths']}>
        {value === null && <span>These events do not have it.</span>}
        {places === null && <span>It is edited as JSON.</span>}
        {value !== null &&
          rows?.map((parts, place) => (
            <span key={place} className={styles['place']}>
              {place > 0 && <span className={styles['or']}>or</span>}
              {parts.map((text, part) => (
                <input
                  key={part}
                  className={styles['path']}
                  aria-label={nameOf(label, place, part)}
                  aria-describedby={`${id}-hint`}
                  aria-invalid={problems.length > 0}
                  list={form.pathsId}
                  value={text}
                  readOnly={!form.isEditable}
                  spellCheck={false}
                  autoComplete="off"
                  placeholder="a path"
                  onFocus={() => form.aim({ path, place, part })}
                  onChange={(event) => change(edited(places ?? [], place, part, event.target.value))}
                />
              ))}
              {form.isEditable && places !== null && places.length > 0 && (
                <PlaceButtons
                  label={label}
                  place={place}
                  isLast={place === places.length - 1}
                  isJoinable={isJoinable}
                  canRemove={places.length > 1 || parts.length > 1}
                  onAdd={() => change([...places, ['']])}
                  onJoin={() => change(withPart(places, place, parts.length, ''))}
                  onRemove={() => change(withoutLast(places, place))}
                />
              )}
            </span>
          ))}
        {onRemove !== undefined && form.isEditable && (
          <Button isSmall kind="plain" aria-label={`Remove ${label}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
      <span id={`${id}-hint`} className={styles['hint']}>
        {problems.map((message) => (
          <span key={message} className={styles['problem']}>
            It {message}.{' '}
          </span>
        ))}
        {read !== undefined && (
          <span className={styles['read']}>
            <span aria-hidden="true">→ </span>
            {read}{' '}
          </span>
        )}
        {hint !== undefined && `${hint}.`}
      </span>
    </div>
  );
}

function PlaceButtons({
  label,
  place,
  isLast,
  isJoinable,
  canRemove,
  onAdd,
  onJoin,
  onRemove,
}: {
  label: string;
  place: number;
  isLast: boolean;
  isJoinable: boolean;
  canRemove: boolean;
  onAdd: () => void;
  onJoin: () => void;
  onRemove: () => void;
}) {
  return (
    <span className={styles['buttons']}>
      {isJoinable && (
        <Button isSmall kind="plain" aria-label={`join another path to ${nameOf(label, place, 0)}`} onClick={onJoin}>
          join
        </Button>
      )}
      {isLast && (
        <Button isSmall kind="plain" aria-label={`or another path for ${label}`} onClick={onAdd}>
          or
        </Button>
      )}
      {canRemove && (
        <Button isSmall kind="plain" aria-label={`Remove ${nameOf(label, place, 0)}`} onClick={onRemove}>
          ×
        </Button>
      )}
    </span>
  );
}

/** `Email`, `Email, path 2`, `Event key, path 1, part 2`. */
function nameOf(label: string, place: number, part: number): string {
  return [label, place > 0 && `path ${place + 1}`, part > 0 && `part ${part + 1}`].filter(Boolean).join(', ');
}

/** The only path of a field is taken away by emptying it. */
function edited(places: Places, place: number, part: number, text: string): Places {
  const isOnly = places.length <= 1 && (places[0]?.length ?? 0) <= 1;
  return isOnly && text === '' ? [] : withPart(places, place, part, text);
}

function withoutLast(places: Places, place: number): Places {
  return places.flatMap((parts, index) => (index !== place ? [parts] : parts.length > 1 ? [parts.slice(0, -1)] : []));
}

export function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
