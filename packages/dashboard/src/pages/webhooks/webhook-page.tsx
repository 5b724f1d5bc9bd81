import type { WebhookEndpoint } from '@svc/contract/types';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useApi, useClient } from '../../data/account.tsx';
import { useChange } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { TextHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { ShownOnce } from '../../parts/copy.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { LastDeliveries } from './last-deliveries.tsx';
import { WebhookForm, type WebhookFields } from './webhook-form.tsx';
import { describeEvents, WebhookState } from './webhook-state.tsx';

const PARENT = { label: 'Webhooks', href: '/webhooks' };

export default function WebhookPage() {
  const { id = '' } = useParams();
  const webhooks = useApi(['webhooks'], (client) => client.webhooks.list());
  return (
    <Loaded query={webhooks}>
      {({ webhooks: rows }) => {
        const webhook = rows.find((each) => each.id === id);
        return webhook === undefined ? (
          <Page title="Webhook" parent={PARENT}>
            <Notice tone="warn">There is no such webhook in this account.</Notice>
          </Page>
        ) : (
          <Webhook webhook={webhook} />
        );
      }}
    </Loaded>
  );
}

function Webhook({ webhook }: { webhook: WebhookEndpoint }) {
  const isAdmin = useIsAdmin();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title={webhook.description === '' ? webhook.url : webhook.description}
      parent={PARENT}
      actions={isAdmin && <Actions webhook={webhook} onSecret={setSecret} />}
    >
      {secret !== null && <ShownOnce secret={secret} label="Copy the signing secret" />}
      {webhook.autoDisabledAt !== null && (
        <Notice tone="bad">
          The service switched this webhook off <Time at={webhook.autoDisabledAt} /> after many deliveries in a row that
          nobody answered. Mend the receiver, send a test event, then switch it on.
        </Notice>
      )}
      <Facts
        facts={[
          ['Id', <code key="id">{webhook.id}</code>],
          ['URL', webhook.url],
          ['State', <WebhookState key="state" webhook={webhook} />],
          ['Events', describeEvents(webhook)],
          ['Added', <Time key="added" at={webhook.createdAt} />],
        ]}
      />
      <LastDeliveries webhookId={webhook.id} />
      {/* Saved settings begin a new form. */}
      {isAdmin && (
        <Settings key={JSON.stringify([webhook.url, webhook.description, webhook.enabledEvents])} webhook={webhook} />
      )}
    </Page>
  );
}

function Settings({ webhook }: { webhook: WebhookEndpoint }) {
  const client = useClient();
  const update = useChange((fields: WebhookFields) => client.webhooks.update(webhook.id, fields), {
    done: 'The webhook is changed.',
    showsErrors: true,
  });
  return (
    <Section title="Settings">
      <WebhookForm
        webhook={webhook}
        action="Save"
        isBusy={update.isPending}
        error={update.error}
        onSubmit={(fields) => update.mutate(fields)}
      />
      <TextHint command={`svc webhooks update ${webhook.id}`} />
    </Section>
  );
}

function Actions({
  webhook: { id, url, isActive },
  onSecret,
}: {
  webhook: WebhookEndpoint;
  onSecret: (secret: string) => void;
}) {
  const client = useClient();
  const [, navigate] = useLocation();
  const test = useChange(() => client.webhooks.test(id), { done: 'A test event is on its way.' });
  const turn = useChange(() => client.webhooks.update(id, { isActive: !isActive }), {
    done: isActive ? 'The webhook is off.' : 'The webhook is on.',
  });
  const rotate = useChange(() => client.webhooks.rotateSecret(id), { done: 'The signing secret is replaced.' });
  const remove = useChange(() => client.webhooks.delete(id), { done: 'The webhook is removed.' });
  return (
    <>
      <Button kind="primary" isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
        Send a test event
      </Button>
      <Button isBusy={turn.isPending} onClick={() => turn.mutate(undefined)}>
        {isActive ? 'Switch off' : 'Switch on'}
      </Button>
      <ConfirmButton
        label="Rotate secret"
        title="Replace the signing secret?"
        description="The new one is shown once, and signs all attempts from then on, those of waiting deliveries too."
        action="Replace"
        onConfirm={async () => onSecret((await rotate.mutateAsync(undefined)).secret)}
      />
      <ConfirmButton
        label="Remove"
        title="Remove this webhook?"
        description={`${url} gets no more events. Its past deliveries stay with their events. This cannot be undone.`}
        action="Remove"
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          navigate('/webhooks');
        }}
      />
    </>
  );
}
