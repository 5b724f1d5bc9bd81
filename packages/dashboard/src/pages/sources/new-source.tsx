import { PLATFORMS } from '@svc/contract/vocabulary';
import { useState } from 'react';
import { useConnectionChoices } from '../../data/choices.ts';
import { OperationForm } from '../../forms/operation-form.tsx';
import { Button } from '../../parts/button.tsx';

/** @param connectionId the connection that gets the events; undefined lets the user choose */
export function NewSource({
  connectionId,
  onAdded,
  onCancel,
}: {
  connectionId?: number;
  onAdded: (id: number) => void;
  onCancel?: () => void;
}) {
  const [isOther, setOther] = useState(false);
  const connections = useConnectionChoices();
  return (
    <>
      <OperationForm
        key={String(isOther)}
        operation="sources/add"
        fields={connectionId === undefined ? ['connectionId', 'platform'] : ['platform']}
        fixed={{
          ...(connectionId === undefined ? {} : { connectionId }),
          ...(isOther ? { isConfirmed: true } : {}),
        }}
        initial={connections.length === 1 && connections[0] ? { connectionId: connections[0].value } : {}}
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
