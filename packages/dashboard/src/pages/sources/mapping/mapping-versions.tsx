/** Earlier versions of the mapping: each can be looked at, and loaded into the editor. */
import type { AdminResult } from '../../../data/operations.ts';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { Empty, Section } from '../../../parts/page.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { VersionDialog } from '../version-dialog.tsx';
import { draftOf, type RawMapping } from './mapping-draft.ts';
import { checkMapping } from './mapping-schema.ts';

type Version = AdminResult<'sources/mappings'>['versions'][number];

export function Versions({
  sourceId,
  versions,
  current,
  onLoad,
}: {
  sourceId: number;
  /** Newest first. */
  versions: readonly Version[];
  /** The text in the editor. */
  current: string;
  /** Absent for those who may not change it. */
  onLoad: ((mapping: RawMapping) => void) | undefined;
}) {
  return (
    <Section title="Versions">
      <Table
        label="Versions of the mapping"
        rows={versions}
        keyOf={({ version }) => version}
        empty={<Empty>No mapping was saved yet.</Empty>}
        columns={[
          { header: 'Version', align: 'number', cell: ({ version }) => version },
          { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { header: 'State', align: 'wide', cell: (row) => stateOf(row, versions[0]) },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: ({ version, mapping }) => mapping !== null && <Look {...{ version, mapping, current, onLoad }} />,
          },
        ]}
      />
      <CommandHint operation="sources/mappings" input={{ sourceId }} />
    </Section>
  );
}

function stateOf({ mapping, version }: Version, latest: Version | undefined): string {
  if (mapping === null) return 'without a mapping';
  const fields = Object.keys(mapping.fields).length;
  return `${version === latest?.version ? 'in use' : 'replaced'}, ${fields} fields`;
}

function Look({
  version,
  mapping,
  current,
  onLoad,
}: {
  version: number;
  mapping: RawMapping;
  current: string;
  onLoad: ((mapping: RawMapping) => void) | undefined;
}) {
  const checked = checkMapping(mapping);
  const ordered = checked.problems === null ? checked.mapping : mapping;
  const { text } = draftOf(ordered);
  return <VersionDialog {...{ version, text, current }} onTake={onLoad && (() => onLoad(ordered))} />;
}
