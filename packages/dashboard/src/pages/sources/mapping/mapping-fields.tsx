/** The mapping itself: as a form or as JSON, what is wrong with it, and saving it. */
import { useState } from 'react';
import { type AdminResult, useOperation, usePerform } from '../../../data/operations.ts';
import { TextHint } from '../../../forms/command-hint.tsx';
import { Button, ButtonLink } from '../../../parts/button.tsx';
import { ConfirmButton } from '../../../parts/dialog.tsx';
import { TextArea } from '../../../parts/field.tsx';
import { Notice, Section } from '../../../parts/page.tsx';
import { draftOf, type Target, toDraft } from './mapping-draft.ts';
import { MappingForm } from './mapping-form.tsx';
import { describeProposedPlaces } from './mapping-proposal.ts';
import { describeProblem } from './mapping-schema.ts';
import styles from './mapping.module.css';
import type { useMappingDraft } from './use-mapping-draft.ts';

export function MappingFields({
  sourceId,
  latest,
  hasRequests,
  editing,
  isEditable,
  target,
  onAim,
  tried,
  paths,
}: {
  sourceId: number;
  latest: AdminResult<'sources/mappings'>['versions'][number] | null;
  hasRequests: boolean;
  editing: ReturnType<typeof useMappingDraft>;
  isEditable: boolean;
  target: Target | null;
  onAim: (target: Target) => void;
  tried: AdminResult<'sources/try'> | undefined;
  paths: readonly { path: string; text: string }[];
}) {
  const { draft, problems, change, isChanged } = editing;
  const [isText, setText] = useState(false);
  const isNew = latest === null || latest.mapping === null;
  // A form that nobody has touched is empty, not wrong.
  const shown = isNew && !isChanged ? [] : problems;
  const switchView = (
    <span className={styles['views']} role="group" aria-label="View of the mapping">
      <Button isSmall aria-pressed={!isText} onClick={() => setText(false)}>
        Form
      </Button>
      <Button isSmall aria-pressed={isText} onClick={() => setText(true)}>
        JSON
      </Button>
    </span>
  );
  return (
    <Section title="Mapping" actions={switchView}>
      {isEditable && hasRequests && <Proposal sourceId={sourceId} isFirst={isNew && !isChanged} onUse={change} />}
      {isText || draft.mapping === null ? (
        <TextArea
          label="Mapping as JSON"
          error={draft.problem === null ? null : `${draft.problem}.`}
          isMono
          rows={24}
          spellCheck={false}
          readOnly={!isEditable}
          value={draft.text}
          onChange={(event) => change(toDraft(event.target.value))}
        />
      ) : (
        <MappingForm
          mapping={draft.mapping}
          isEditable={isEditable}
          onChange={(mapping) => change(draftOf(mapping))}
          {...{ target, onAim, paths, tried }}
          problems={shown}
        />
      )}
      {shown.length > 0 && (
        <Notice tone="warn">
          <ul className={styles['problems']}>
            {shown.map((problem) => (
              <li key={`${problem.path.join('.')} ${problem.message}`}>{describeProblem(problem)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Saving sourceId={sourceId} latest={latest} editing={editing} isEditable={isEditable} />
    </Section>
  );
}

/** Proposes a mapping from the stored requests. */
function Proposal({
  sourceId,
  isFirst,
  onUse,
}: {
  sourceId: number;
  isFirst: boolean;
  onUse: ReturnType<typeof useMappingDraft>['change'];
}) {
  const proposal = useOperation('sources/map', { sourceId }, { enabled: false, refetchesByItself: false });
  const [isUsed, setUsed] = useState(false);
  const propose = async () => {
    const { data } = await proposal.refetch();
    if (data === undefined) return;
    onUse(draftOf(data.mapping));
    setUsed(true);
  };
  const { data, error, isFetching } = proposal;
  return (
    <>
      <div>
        <Button
          kind={isFirst ? 'primary' : 'normal'}
          isSmall={!isFirst}
          isBusy={isFetching}
          onClick={() => void propose()}
        >
          Propose a mapping from the requests
        </Button>
      </div>
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
      {isUsed && data !== undefined && (
        <Notice
          action={
            <Button isSmall onClick={() => setUsed(false)}>
              Done
            </Button>
          }
        >
          <p>
            It is proposed from {data.itemCount} different events in {data.requestCount} requests. Check it, then save
            it.
          </p>
          <ul className={styles['problems']}>
            {[...describeProposedPlaces(data), ...data.warnings].map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function Saving({
  sourceId,
  latest,
  editing: { mapping, isChanged, isOvertaken, discard },
  isEditable,
}: {
  sourceId: number;
  latest: AdminResult<'sources/mappings'>['versions'][number] | null;
  editing: ReturnType<typeof useMappingDraft>;
  isEditable: boolean;
}) {
  const [saved, setSaved] = useState<number | null>(null);
  const save = usePerform('sources/set-mapping', { showsErrors: true });
  const remove = usePerform('sources/set-mapping', { done: 'The source has no mapping from now on.' });
  const hint = <TextHint command={`svc-server sources set-mapping --source ${sourceId} --mapping FILE`} />;
  if (!isEditable) return hint;
  const version = latest?.version ?? 0;
  const saveDraft = async () => {
    try {
      const result = await save.mutateAsync({ sourceId, mapping });
      discard();
      setSaved(result.version);
    } catch {
      // The page shows the error of the change.
    }
  };
  return (
    <>
      {isOvertaken && (
        <Notice tone="warn">
          Version {version} was saved after this draft was begun. When you save, the draft replaces it.
        </Notice>
      )}
      {save.error !== null && <Notice tone="bad">{save.error.message}</Notice>}
      {saved !== null && !isChanged && (
        <Notice
          tone="good"
          action={
            <ButtonLink isSmall href={`/requests/read-again?source=${sourceId}`}>
              Read earlier requests again
            </ButtonLink>
          }
        >
          Version {saved} reads the payloads that come from now on.
        </Notice>
      )}
      <div className={styles['save']}>
        <Button
          kind="primary"
          isBusy={save.isPending}
          disabled={mapping === null || !isChanged}
          onClick={() => void saveDraft()}
        >
          Save as version {version + 1}
        </Button>
        {isChanged && <Button onClick={discard}>Discard the changes</Button>}
        <span className={styles['hint']}>
          {isChanged ? 'Not saved yet.' : version === 0 ? '' : `Version ${version} is saved.`}
        </span>
        {latest !== null && latest.mapping !== null && !isChanged && (
          <ConfirmButton
            label="Remove …"
            button={{ kind: 'plain' }}
            title="Remove the mapping?"
            description="Payloads that come from now on are stored and not read. What was read stays, and each version can be loaded again."
            action="Remove"
            onConfirm={() => remove.mutateAsync({ sourceId, mapping: null })}
          />
        )}
      </div>
      {hint}
    </>
  );
}
