/** The sample, the mapping, and what the mapping makes of the sample, side by side. */
import { useMemo, useState } from 'react';
import { useDebounced } from '../../../data/debounced.ts';
import { useFilters } from '../../../data/filters.ts';
import { type AdminResult, useOperation } from '../../../data/operations.ts';
import { parseJson } from '../../../data/parse-json.ts';
import { useIsAdmin } from '../../../data/session.tsx';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { classes } from '../../../parts/classes.ts';
import { Notice, Section } from '../../../parts/page.tsx';
import { draftOf, type RawMapping, type Target, withPath } from './mapping-draft.ts';
import { MappingFields } from './mapping-fields.tsx';
import { NewestRequests, Preview } from './mapping-preview.tsx';
import { PASTED, Payload, SampleChoice } from './mapping-sample.tsx';
import { describeTarget, listPaths, nextTarget, pickedPath } from './mapping-target.ts';
import { Versions } from './mapping-versions.tsx';
import styles from './mapping.module.css';
import type { ShownSource } from '../source-frame.tsx';
import { useMappingDraft } from './use-mapping-draft.ts';

type Requests = AdminResult<'requests/list'>['requests'];

export function MappingEditor({
  source: { id: sourceId, url },
  versions,
  requests,
  hasForm,
}: {
  source: ShownSource;
  versions: AdminResult<'sources/mappings'>['versions'];
  /** The newest ones whose payload is stored. */
  requests: Requests;
  /** False where the adapter of the platform reads, and nobody asked for a mapping beside it. */
  hasForm: boolean;
}) {
  const isEditable = useIsAdmin() && hasForm;
  const editing = useMappingDraft(sourceId, versions[0] ?? null);
  const { mapping } = editing.draft;
  const [target, setTarget] = useState<Target | null>(null);
  const { chosen, choose } = useChosenSample(requests);
  const [pasted, setPasted] = useState('');
  const settledText = useDebounced(pasted);
  const { sample, isGone, error } = useSample(chosen, settledText);

  const isWrong = hasForm && editing.isChanged && editing.mapping === null;
  const settled = useDebounced(useLastValid(editing.mapping, isWrong));
  const input = {
    sourceId,
    ...(chosen === PASTED ? { payload: settledText } : { requestId: Number(chosen) }),
    ...(hasForm ? { mapping: settled } : {}),
  };
  const tried = useOperation('sources/try', input, {
    enabled: sample !== null,
    refetchesByItself: false,
    keepsPrevious: true,
  });

  const aim = isEditable && mapping !== null ? (target ?? nextTarget(mapping)) : null;
  const setMapping = (next: RawMapping) => editing.change(draftOf(next));
  const paths = useMemo(
    () => (sample === null || mapping === null ? [] : listPaths(mapping, sample)),
    [sample, mapping],
  );

  return (
    <>
      <div className={classes(styles['editor'], !hasForm && styles['single'])}>
        <div className={styles['sample']}>
          <Section title="Sample">
            <SampleChoice {...{ url, requests, chosen, pasted }} onChoose={choose} onPaste={setPasted} />
            {error !== null && <Notice tone="bad">{error.message}</Notice>}
            {isGone && <Notice>The payload of this request is no longer stored.</Notice>}
            {isEditable && aim === null && mapping !== null && sample !== null && (
              <p className={styles['hint']}>Choose a field of the mapping, then click on a value to set its path.</p>
            )}
            {sample !== null && (
              <Payload
                sample={sample}
                aim={aim === null ? null : describeTarget(aim)}
                onPick={(picked) => {
                  if (aim === null || mapping === null) return;
                  const path = pickedPath(mapping, aim, sample.body, picked);
                  if (path !== null) setMapping(withPath(mapping, aim, path));
                }}
              />
            )}
          </Section>
        </div>
        {hasForm && (
          <div className={styles['mapping']}>
            <MappingFields
              {...{ sourceId, editing, isEditable, paths }}
              latest={versions[0] ?? null}
              hasRequests={requests.length > 0}
              target={aim}
              onAim={setTarget}
              tried={tried.data}
            />
          </div>
        )}
        {sample !== null && (
          <div className={styles['result']}>
            <Preview tried={tried.data} error={tried.error} isWrong={isWrong} />
          </div>
        )}
      </div>
      {!isWrong && <NewestRequests requests={tried.data?.requests ?? []} />}
      <CommandHint operation="sources/try" input={input} />
      {hasForm && (
        <Versions
          sourceId={sourceId}
          versions={versions}
          current={editing.draft.text}
          onLoad={isEditable ? setMapping : undefined}
        />
      )}
    </>
  );
}

/** While something is wrong with the mapping, the form still shows what the one before has read. */
function useLastValid<T>(mapping: T | null, isWrong: boolean): T | null {
  const [last, setLast] = useState(mapping);
  if (!isWrong && last !== mapping) setLast(mapping);
  return isWrong ? last : mapping;
}

/** The sample of the address, or else the newest request that was not understood when the page was opened. */
function useChosenSample(requests: Requests) {
  const { values, set } = useFilters(['request']);
  const [first, setFirst] = useState<string | null>(null);
  if (first === null && requests.length > 0) {
    const best = requests.find(({ outcome }) => outcome === 'unparsed') ?? requests[0];
    setFirst(String(best?.id));
  }
  const chosen = values.request === '' ? (first ?? PASTED) : values.request;
  return { chosen, choose: (request: string) => set({ request }) };
}

/** @param chosen the id of a request, or `pasted` */
function useSample(chosen: string, pasted: string) {
  const isStored = chosen !== PASTED;
  const shown = useOperation('requests/show', { id: isStored ? Number(chosen) : 0 }, { enabled: isStored });
  const request = shown.data?.request;
  const sample = useMemo(() => {
    if (!isStored) {
      const parsed = parseJson(pasted);
      return parsed.problem === null ? { body: parsed.value, headers: {} } : null;
    }
    return request === undefined || request.bodyBytes === null
      ? null
      : { body: request.body, headers: request.headers };
  }, [isStored, pasted, request]);
  return { sample, isGone: isStored && request?.bodyBytes === null, error: isStored ? shown.error : null };
}
