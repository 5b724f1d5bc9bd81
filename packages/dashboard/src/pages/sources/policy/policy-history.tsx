import { useIsAdmin } from '../../../data/session.tsx';
import { CommandHint } from '../../../forms/command-hint.tsx';
import { Button } from '../../../parts/button.tsx';
import { Code } from '../../../parts/copy.tsx';
import { Difference } from '../../../parts/difference.tsx';
import { DialogActions, DialogButton } from '../../../parts/dialog.tsx';
import { Empty, Section } from '../../../parts/page.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
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
            cell: ({ version, policy }) => (
              <DialogButton
                label="Show"
                title={`Version ${version}`}
                description="What going back to it would change in the editor."
                button={{ isSmall: true, 'aria-label': `Show version ${version}` }}
                isWide
              >
                {(close) => (
                  <>
                    {format(policy ?? {}) === current ? (
                      <Code label={`Version ${version}`} value={current} />
                    ) : (
                      <Difference label="What differs" before={current} after={format(policy ?? {})} />
                    )}
                    <DialogActions>
                      <Button onClick={close}>Close</Button>
                      {isAdmin && format(policy ?? {}) !== current && (
                        <Button
                          kind="primary"
                          onClick={() => {
                            onTake(format(policy ?? {}));
                            close();
                          }}
                        >
                          Take it into the editor
                        </Button>
                      )}
                    </DialogActions>
                  </>
                )}
              </DialogButton>
            ),
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
