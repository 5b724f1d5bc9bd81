import { useLocation, useParams } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Facts, Loaded, Notice, Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { Bindings } from './bindings.tsx';
import type { ShownDestination } from './shown-destination.ts';
import { LastDay, LastDeliveries } from './destination-deliveries.tsx';

const PARENT = { label: 'Destinations', href: '/destinations' };

export default function DestinationPage() {
  const { id = '' } = useParams();
  const accountId = useAccountId();
  const destinations = useOperation('destinations/list', { accountId });
  return (
    <Loaded query={destinations}>
      {({ destinations: rows }) => {
        const destination = rows.find((each) => each.id === Number(id));
        return destination === undefined ? (
          <Page title="Destination" parent={PARENT}>
            <Notice tone="warn">There is no destination {id} in this account.</Notice>
          </Page>
        ) : (
          <Destination destination={destination} />
        );
      }}
    </Loaded>
  );
}

function Destination({ destination }: { destination: ShownDestination }) {
  const { id, url, description, connectionId, createdAt } = destination;
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const actions = isAdmin && (
    <>
      <ChangeButton destination={destination} />
      <RemoveButton
        operation="destinations/remove"
        id={id}
        what={`destination ${id}`}
        onDone={() => navigate('/destinations')}
      />
    </>
  );
  return (
    <Page title={description === '' ? `Destination ${id}` : description} parent={PARENT} actions={actions}>
      <Facts
        facts={[
          ['Id', String(id)],
          ['URL', url],
          ['Connection', String(connectionId)],
          ['Added', <Time key="added" at={createdAt} />],
          ['Last 24 hours', <LastDay key="day" destinationId={id} />],
        ]}
      />
      <Bindings destination={destination} />
      <LastDeliveries destinationId={id} />
    </Page>
  );
}

function ChangeButton({ destination: { id, url, description } }: { destination: ShownDestination }) {
  return (
    <DialogButton label="Change" title={`Change destination ${id}`}>
      {(close) => (
        <OperationForm
          operation="destinations/update"
          fields={['url', 'description']}
          fixed={{ id }}
          initial={{ url, description }}
          texts={{
            url: { label: 'URL', hint: 'An https URL at a public address. Waiting events are forwarded to it too.' },
            description: { label: 'Description', hint: 'What it is, for the people here.' },
          }}
          action="Save"
          done="The destination is changed."
          onDone={close}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}
