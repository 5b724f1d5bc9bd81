/** A policy as a form and as text, both of one document; what is wrong with it; its plan; and its versions. */
import { useMemo, useState } from 'react';
import schemaFile from '../../../../../../docs/write-policy.schema.json' with { type: 'json' };
import { useDebounced } from '../../../data/debounced.ts';
import { useDraft } from '../../../data/draft.ts';
import { DashboardError } from '../../../data/http.ts';
import { useOperation } from '../../../data/operations.ts';
import { parseJson } from '../../../data/parse-json.ts';
import { useIsAdmin } from '../../../data/session.tsx';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { Button } from '../../../parts/button.tsx';
import { TextArea } from '../../../parts/field.tsx';
import { Notice, Section } from '../../../parts/page.tsx';
import {
  formatPolicy,
  isRecord,
  type Mark,
  type PolicyOwner,
  type PolicyVersion,
  readNotices,
  readProblems,
  type SchemaNode,
} from './policy-document.ts';
import { PolicyFields } from './policy-fields.tsx';
import { PolicyHistory } from './policy-history.tsx';
import { MarksContext } from './policy-marks.tsx';
import { PolicyPlan } from './policy-plan.tsx';
import { PolicyRemoval, SavePolicy } from './policy-save.tsx';
import styles from './policy.module.css';
import type { ShownSource } from '../source-frame.tsx';

const SCHEMA: SchemaNode = schemaFile;
const PARTS = Object.keys(SCHEMA.properties ?? {});

interface EditorProps {
  source: ShownSource;
  owner: PolicyOwner;
  /** Newest first. */
  versions: readonly PolicyVersion[];
}

export function PolicyEditor({ source, owner, versions }: EditorProps) {
  const isAdmin = useIsAdmin();
  const latest = versions[0];
  const saved = useMemo(() => formatPolicy(latest?.policy ?? {}, SCHEMA), [latest]);
  const [draft, setDraft] = useDraft(`policy of ${owner.kind} ${owner.id}`);
  const text = draft ?? saved;
  const parsed = useMemo(() => parseDocument(text), [text]);
  const edit = (next: string) => setDraft(next === saved ? null : next);
  const { marks, isValid, isChecking, compare } = useCheck(parsed.document, source.id);
  const isChanged = draft !== null;
  return (
    <>
      <Section
        title={latest === undefined || latest.policy === null ? 'No policy yet' : `Version ${latest.version}`}
        actions={
          isChanged && (
            <div className={styles['buttons']}>
              <span>Unsaved changes</span>
              <Button isSmall onClick={() => setDraft(null)}>
                Discard
              </Button>
            </div>
          )
        }
      >
        <MarksContext value={marks}>
          <div className={styles['editor']}>
            <fieldset className={styles['form']} disabled={!isAdmin}>
              <legend className="visually-hidden">Parts of the policy</legend>
              {parsed.document === null ? (
                <Notice tone="warn">The fields come back when the JSON is right.</Notice>
              ) : (
                <PolicyFields
                  schema={SCHEMA}
                  document={parsed.document}
                  onChange={(document) => edit(formatPolicy(document, SCHEMA))}
                />
              )}
            </fieldset>
            <div className={styles['text']}>
              <TextArea
                label="JSON"
                hint="The same document as text."
                error={parsed.problem}
                isMono
                rows={Math.min(26, text.split('\n').length + 2)}
                spellCheck={false}
                readOnly={!isAdmin}
                value={text}
                onChange={(event) => edit(event.target.value)}
              />
              {isAdmin && (
                <div className={styles['buttons']}>
                  <SavePolicy
                    owner={owner}
                    saved={saved}
                    text={text}
                    canSave={isChanged && isValid}
                    onSaved={() => setDraft(null)}
                  />
                  <Button isBusy={isChecking} disabled={!isValid} onClick={compare}>
                    Compare with the CRM
                  </Button>
                  {latest !== undefined && latest.policy !== null && (
                    <PolicyRemoval owner={owner} onRemoved={() => setDraft(null)} />
                  )}
                </div>
              )}
            </div>
          </div>
        </MarksContext>
        <CommandHint operation={`${owner.kind}s/set-policy`} input={{ id: owner.id, policy: {} }} />
      </Section>
      <PolicyPlan source={source} owner={owner} document={isValid && isChanged ? parsed.document : null} />
      <PolicyHistory
        owner={owner}
        versions={versions}
        current={text}
        format={(policy) => formatPolicy(policy, SCHEMA)}
        onTake={edit}
      />
    </>
  );
}

type Document = Record<string, unknown>;

function parseDocument(text: string): { document: Document | null; problem: string | null } {
  const parsed = parseJson(text);
  if (parsed.problem !== null) return { document: null, problem: parsed.problem };
  return isRecord(parsed.value)
    ? { document: parsed.value, problem: null }
    : { document: null, problem: 'A policy is an object: { ... }' };
}

/** Checks the document when nobody has typed for a moment. The CRM is asked only on request, because that takes from its quota. */
function useCheck(document: Document | null, sourceId: number) {
  const settled = useDebounced(document);
  const [compared, setCompared] = useState<Document | null>(null);
  const isCompared = compared !== null && compared === settled;
  const options = { enabled: settled !== null, refetchesByItself: false };
  const alone = useOperation('sources/check-policy', { policy: settled }, options);
  const withCrm = useOperation(
    'sources/check-policy',
    { policy: settled, sourceId },
    { ...options, enabled: isCompared },
  );
  const check = isCompared && !withCrm.isPending ? withCrm : alone;
  const isSettled = document !== null && document === settled;
  const marks = useMemo((): Mark[] => {
    if (!isSettled) return [];
    if (check.error !== null) return problemsOf(check.error);
    const found = readNotices(check.data?.notices ?? [], PARTS);
    return isCompared && check === withCrm && check.data?.notices.length === 0
      ? [{ path: '', text: 'The CRM has everything that the policy names.', tone: 'good' }]
      : found;
  }, [isSettled, isCompared, check, withCrm]);
  return {
    marks,
    isValid: isSettled && alone.data !== undefined,
    isChecking: isCompared && withCrm.isFetching,
    compare: () => setCompared(settled),
  };
}

function problemsOf(error: Error): Mark[] {
  return error instanceof DashboardError && error.code === 'invalid_input'
    ? readProblems(error.message)
    : [{ path: '', text: error.message, tone: 'warn' }];
}
