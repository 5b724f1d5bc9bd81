import { PLATFORMS } from '@svc/contract/vocabulary';
import { useState } from 'react';
import type { Choice } from '../../data/choices.ts';
import { OperationForm } from '../../forms/operation-form.tsx';
import { Button } from '../../parts/button.tsx';

/** @param connections of which one gets the events; a single one is not asked for */
export function NewSource({
  connections,
  onAdded,
  onCancel,
}: {
  connections: readonly Choice[];
  onAdded: (id: number) => void;
  onCancel?: () => void;
}) {
  const [isOther, setOther] = useState(false);
  const only = connections.length === 1 ? connections[0]?.value : undefined;
  return (
    <>
      <OperationForm
        key={String(isOther)}
        operation="sources/add"
        fields={only === undefined ? ['connectionId', 'platform'] : ['platform']}
        fixed={{
          ...(only === undefined ? {} : { connectionId: only }),
          ...(isOther ? { isConfirmed: true } : {}),
        }}
        texts={{
          connectionId: { label: 'Connection', hint: 'Its CRM gets the events.', options: connections },
          platform: isOther
            ? { label: 'Name', hint: 'A name of your own, such as my-dialer. You map its payloads afterwards.' }
            : {
                label: 'Sequencer',
                hint: 'It gets an address of its own to post events to.',
                options: PLATFORMS.map((name) => ({ value: name, label: name })),
              },
        }}
        action="Add the source"
        onDone={({ source }) => onAdded(source.id)}
        {...(onCancel === undefined ? {} : { onCancel })}
      />
      <div>
        <Button kind="plain" onClick={() => setOther(!isOther)}>
          {isOther ? 'Choose from the list' : 'Another sequencer'}
        </Button>
      </div>
    </>
  );
}
