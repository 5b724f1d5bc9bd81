/** The write policy of a source, or the one of its connection that the source inherits: edited, tried and kept in versions. */
import { Link } from 'wouter';
import { useFilters } from '../../../data/filters.ts';
import { useOperation } from '../../../data/operations.ts';
import { SelectField } from '../../../parts/field.tsx';
import { Loaded, Section } from '../../../parts/page.tsx';
import { Table } from '../../../parts/table.tsx';
import styles from './policy.module.css';
import { PolicyEditor } from './policy-editor.tsx';
import { type ShownSource, SourceFrame } from '../source-frame.tsx';

export default function PolicyPage() {
  return <SourceFrame tab="policy">{(source) => <Policy source={source} />}</SourceFrame>;
}

function Policy({ source }: { source: ShownSource }) {
  const { id, connectionId } = source;
  const { values, set } = useFilters(['of']);
  const isOfConnection = values.of === 'connection';
  const ofSource = useOperation('sources/policies', { id }, { enabled: !isOfConnection });
  const ofConnection = useOperation('connections/policies', { id: connectionId }, { enabled: isOfConnection });
  const owner = isOfConnection
    ? ({ kind: 'connection', id: connectionId } as const)
    : ({ kind: 'source', id } as const);
  return (
    <>
      <div className={styles['choices']}>
        <SelectField
          label="Policy of"
          hint="A part that the policy of the source does not have is that of its connection's policy."
          value={values.of}
          onChange={(event) => set({ of: event.target.value })}
        >
          <option value="">this source</option>
          <option value="connection">connection {connectionId}, for all its sources</option>
        </SelectField>
      </div>
      <Loaded query={isOfConnection ? ofConnection : ofSource}>
        {({ versions }) => <PolicyEditor key={owner.kind} source={source} owner={owner} versions={versions} />}
      </Loaded>
      {isOfConnection ? <ConnectionParts id={connectionId} /> : <SourceParts id={id} />}
    </>
  );
}

function SourceParts({ id }: { id: number }) {
  const shown = useOperation('sources/show-policy', { id });
  return (
    <Section title="Where each part comes from">
      <Loaded query={shown}>{({ policy, parts }) => <Parts policy={policy} parts={parts} sourceId={id} />}</Loaded>
    </Section>
  );
}

function ConnectionParts({ id }: { id: number }) {
  const shown = useOperation('connections/show-policy', { id });
  return (
    <Section title="Parts of the connection's policy">
      <Loaded query={shown}>{({ policy, parts }) => <Parts policy={policy} parts={parts} />}</Loaded>
    </Section>
  );
}

interface Part {
  readonly name: string;
  readonly from: string;
  readonly version: number | null;
}

function Parts({ policy, parts, sourceId }: { policy: object; parts: readonly Part[]; sourceId?: number }) {
  const values = policy as Readonly<Record<string, unknown>>;
  return (
    <Table
      label="Parts of the policy"
      rows={parts}
      keyOf={(row) => row.name}
      empty={null}
      columns={[
        { header: 'Part', cell: (row) => <code>{row.name}</code> },
        {
          header: 'From',
          cell: ({ from, version }) =>
            from === 'switches' && sourceId !== undefined ? (
              <Link href={`/sources/${sourceId}`}>the settings of the source</Link>
            ) : version === null ? (
              from
            ) : (
              `${from}, version ${version}`
            ),
        },
        { header: 'Now', align: 'wide', cell: (row) => <code>{JSON.stringify(values[row.name])}</code> },
      ]}
    />
  );
}
