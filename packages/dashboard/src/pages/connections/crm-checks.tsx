/** What this release needs of a CRM, and what it expects of it. */
import { usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Notice, Section } from '../../parts/page.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';

const ITEM_TONES = { exists: 'good', made: 'good', missing: 'waiting', refused: 'bad' } as const satisfies Record<
  string,
  Tone
>;

/** Properties in the CRM that write policies need. */
export function Preparation({ id }: { id: number }) {
  const isAdmin = useIsAdmin();
  const prepare = usePerform('connections/prepare', { showsErrors: true });
  const items = prepare.data?.items ?? [];
  const isAnythingMissing = items.some(({ state }) => state === 'missing');
  return (
    <Section title="Properties in the CRM">
      <p>Last values and outcomes of write policies are written to properties of their own.</p>
      {isAdmin && (
        <div>
          <Button
            isBusy={prepare.isPending}
            kind={isAnythingMissing ? 'primary' : 'normal'}
            onClick={() => prepare.mutate({ id, isDryRun: !isAnythingMissing })}
          >
            {isAnythingMissing ? 'Make what is missing' : 'Look what is missing'}
          </Button>
        </div>
      )}
      {prepare.error !== null && <Notice tone="bad">{prepare.error.message}</Notice>}
      {prepare.data !== undefined && (
        <Table
          label="Properties in the CRM"
          rows={items}
          keyOf={({ name }) => name}
          empty={<Notice tone="good">The CRM needs no preparation.</Notice>}
          columns={[
            { header: 'What', align: 'wide', cell: ({ name }) => name },
            { header: 'State', cell: ({ state }) => <Status tone={ITEM_TONES[state]}>{state}</Status> },
            { header: 'Note', align: 'wide', cell: ({ note }) => note ?? '' },
          ]}
        />
      )}
      <CommandHint operation="connections/prepare" input={{ id, isDryRun: !isAnythingMissing }} />
    </Section>
  );
}

const RESULT_TONES = { holds: 'good', differs: 'bad', 'not tested': 'neutral' } as const satisfies Record<string, Tone>;

export function SelfTest({ id }: { id: number }) {
  const isAdmin = useIsAdmin();
  const test = usePerform('connections/selftest', { showsErrors: true });
  return (
    <Section title="Self-test">
      <p>It proves in the CRM what this release expects of it, with a person of its own that it removes afterwards.</p>
      {isAdmin && (
        <div>
          <ConfirmButton
            label="Run the self-test …"
            title="Run the self-test?"
            description="It writes a person named svc-selftest to the CRM, reads what became of it, and removes it. It takes up to a minute."
            action="Run"
            button={{ isBusy: test.isPending }}
            onConfirm={async () => {
              // The result is below; the question need not wait for it.
              test.mutate({ id });
            }}
          />
        </div>
      )}
      {test.isPending && <Status tone="waiting">The self-test runs …</Status>}
      {test.error !== null && <Notice tone="bad">{test.error.message}</Notice>}
      {test.data?.notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      {test.data !== undefined && (
        <Table
          label="Statements"
          rows={test.data.statements}
          keyOf={(row) => row.id}
          empty={<Notice>There is nothing to test for this CRM.</Notice>}
          columns={[
            { header: 'Result', cell: ({ result }) => <Status tone={RESULT_TONES[result]}>{result}</Status> },
            { header: 'Statement', align: 'wide', cell: ({ title }) => title },
            { header: 'Detail', align: 'wide', cell: ({ detail }) => detail ?? '' },
          ]}
        />
      )}
      <CommandHint operation="connections/selftest" input={{ id }} />
    </Section>
  );
}
