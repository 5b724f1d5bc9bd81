import { useIsAdmin } from '../../../data/session.tsx';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { Empty, Section } from '../../../parts/page.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { VersionDialog } from '../version-dialog.tsx';
import type { PolicyOwner, PolicyVersion } from './policy-document.ts';

/** @param current the text in the editor @param onTake puts the text of a version into the editor */
export function PolicyHistory({
  owner,
  versions,
  current,
  format,
  onTake,
}: {
  owner: PolicyOwner;
  versions: readonly PolicyVersion[];
  current: string;
  format: (policy: unknown) => string;
  onTake: (text: string) => void;
}) {
  const isAdmin = useIsAdmin();
  return (
    <Section title="Versions">
      <Table
        label="Versions of the policy"
        rows={versions}
        keyOf={(row) => row.version}
        empty={<Empty>No policy was set yet: every event of everybody is written.</Empty>}
        columns={[
          { header: 'Version', align: 'number', cell: (row) => row.version },
          { header: 'Set', cell: (row) => <Time at={row.createdAt} /> },
          {
            header: 'Parts',
            align: 'wide',
            cell: ({ policy }) => (policy === null ? 'removed' : Object.keys(policy).join(', ') || 'none'),
          },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: ({ version, policy }) => {
              const text = format(policy ?? {});
              return (
                <VersionDialog {...{ version, text, current }} onTake={isAdmin ? () => onTake(text) : undefined} />
              );
            },
          },
        ]}
      />
      <CommandHint
        operation={owner.kind === 'source' ? 'sources/policies' : 'connections/policies'}
        input={{ id: owner.id }}
      />
    </Section>
  );
}
