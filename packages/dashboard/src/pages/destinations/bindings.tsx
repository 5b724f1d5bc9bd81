/** The sources whose events a destination gets. */
import { Link } from 'wouter';
import { useSourceChoices } from '../../data/choices.ts';
import { type AdminInput, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { ConfirmButton, DialogButton } from '../../parts/dialog.tsx';
import { Empty, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import type { Binding, ShownDestination } from './shown-destination.ts';

export function Bindings({ destination }: { destination: ShownDestination }) {
  const { id, bindings, connectionId } = destination;
  const isAdmin = useIsAdmin();
  const sources = useSourceChoices(connectionId);
  const labelOf = (sourceId: number) => sources?.find(({ value }) => value === sourceId)?.label ?? String(sourceId);
  const unbound = sources?.filter(({ value }) => bindings.every(({ sourceId }) => sourceId !== value)) ?? null;
  const bind = isAdmin && unbound?.length !== 0 && (
    <DialogButton label="Bind a source" button={{ isSmall: true }} title="Bind a source">
      {(close) => <BindForm destinationId={id} binding={null} sources={unbound} onEnd={close} />}
    </DialogButton>
  );
  return (
    <Section title="Sources" actions={bind}>
      <Table
        label="Sources of the destination"
        rows={bindings}
        keyOf={(row) => row.sourceId}
        empty={
          <Empty>
            {sources?.length === 0
              ? 'The connection has no source yet. Add one, then bind it here.'
              : 'It is bound to no source, so it receives nothing.'}
          </Empty>
        }
        columns={[
          {
            header: 'Source',
            cell: (row) => <Link href={`/sources/${row.sourceId}`}>{labelOf(row.sourceId)}</Link>,
          },
          { header: 'Events', align: 'wide', cell: (row) => row.eventTypes.join(', ') },
          { header: 'Forwarded', cell: (row) => (row.isDelayed ? 'after five minutes' : 'at once') },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: (row) =>
              isAdmin && (
                <>
                  <DialogButton label="Change" button={{ isSmall: true }} title={`Source ${labelOf(row.sourceId)}`}>
                    {(close) => <BindForm destinationId={id} binding={row} sources={sources} onEnd={close} />}
                  </DialogButton>{' '}
                  <Unbind destinationId={id} sourceId={row.sourceId} />
                </>
              ),
          },
        ]}
      />
    </Section>
  );
}

/** @param binding null binds another source */
function BindForm({
  destinationId,
  binding,
  sources,
  onEnd,
}: {
  destinationId: number;
  binding: Binding | null;
  sources: ReturnType<typeof useSourceChoices>;
  onEnd: () => void;
}) {
  return (
    <OperationForm
      operation="destinations/bind"
      fields={[...(binding === null ? (['sourceId'] as const) : []), 'eventTypes', 'isDelayed']}
      fixed={{ destinationId, ...(binding === null ? {} : { sourceId: binding.sourceId }) }}
      initial={
        (binding === null ? {} : { eventTypes: binding.eventTypes, isDelayed: binding.isDelayed }) as Partial<BindInput>
      }
      texts={{
        sourceId: {
          label: 'Source',
          hint: 'A source of the same connection.',
          ...(sources === null ? {} : { options: sources }),
        },
        eventTypes: { label: 'Events', hint: 'Only these are forwarded.' },
        isDelayed: { label: 'Forward five minutes later', hint: 'The CRM usually has the event by then.' },
      }}
      action={binding === null ? 'Bind' : 'Save'}
      done="The source is bound."
      onDone={onEnd}
      onCancel={onEnd}
    />
  );
}

type BindInput = AdminInput<'destinations/bind'>;

function Unbind({ destinationId, sourceId }: { destinationId: number; sourceId: number }) {
  const unbind = usePerform('destinations/unbind', { done: 'The source is not forwarded any more.' });
  return (
    <ConfirmButton
      label="Unbind"
      button={{ isSmall: true }}
      title={`Stop forwarding events of source ${sourceId}?`}
      description="The destination gets none of its later events. You can bind the source again."
      action="Unbind"
      onConfirm={() => unbind.mutateAsync({ destinationId, sourceId })}
    />
  );
}
