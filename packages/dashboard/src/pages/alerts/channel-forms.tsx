import { useState } from 'react';
import { useAccountId } from '../../data/account.tsx';
import { useCatalogEntry } from '../../data/catalog.ts';
import type { AdminResult } from '../../data/operations.ts';
import { OperationForm } from '../../forms/operation-form.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';

type Channel = AdminResult<'alerts/list'>['channels'][number];
type Topics = Channel['topics'];
type OnSecret = (secret: string) => void;

const KINDS = [
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'discord', label: 'Discord' },
  { value: 'mail', label: 'mail' },
  { value: 'webhook', label: 'signed JSON for a program' },
];

/** Returns all topics of alerts. */
export function useTopics(): Topics {
  return (useCatalogEntry('alerts/add')?.fields.find(({ name }) => name === 'topics')?.choices ?? []) as Topics;
}

/** @param props.onSecret gets the signing secret of a new channel of signed JSON */
export function AddChannel({ onSecret }: { onSecret: OnSecret }) {
  const accountId = useAccountId();
  const all = useTopics();
  const [isInstallation, setInstallation] = useState(false);
  return (
    <DialogButton label="Add a channel" button={{ kind: 'primary' }} title="Add a channel" isWide>
      {(close) => (
        <OperationForm
          operation="alerts/add"
          fields={['kind', 'url', 'to', 'topics']}
          fixed={isInstallation ? { isInstallation } : { accountId }}
          texts={{
            kind: { label: 'Kind', hint: undefined, options: KINDS },
            url: { label: 'URL (all kinds but mail)', hint: 'Whoever has it can post: it is stored encrypted.' },
            to: { label: 'Address (mail only)', hint: 'Where mails go.' },
            topics: { label: 'Topics', hint: undefined },
          }}
          initial={{ topics: all }}
          action="Add"
          done="The channel is added. Test it."
          onDone={({ signingSecret }) => {
            if (signingSecret !== null) onSecret(signingSecret);
            close();
          }}
          onCancel={close}
        >
          <SwitchField
            label="Alerts of all accounts"
            hint="Otherwise only those of this account."
            checked={isInstallation}
            onChange={setInstallation}
          />
        </OperationForm>
      )}
    </DialogButton>
  );
}

export function ChangeChannel({ channel, onSecret }: { channel: Channel; onSecret: OnSecret }) {
  const { id, kind, place, topics } = channel;
  return (
    <DialogButton label="Change" button={{ isSmall: true }} title={`Alert channel ${id}`} isWide>
      {(close) => (
        <>
          <OperationForm
            operation="alerts/update"
            fields={kind === 'mail' ? ['to', 'topics'] : ['topics']}
            fixed={{ id }}
            initial={kind === 'mail' ? { to: place, topics } : { topics }}
            texts={{ to: { label: 'Address' }, topics: { label: 'Topics', hint: 'It gets messages of these.' } }}
            action="Save"
            done="The channel is changed."
            onDone={close}
            onCancel={close}
          />
          {kind !== 'mail' && (
            <Section title="URL">
              <OperationForm
                operation="alerts/set-url"
                fields={['url']}
                fixed={{ id }}
                texts={{ url: { label: 'New URL', hint: 'It is stored encrypted, and never shown.' } }}
                action="Replace the URL"
                done="The channel has a new URL."
                onDone={({ signingSecret }) => {
                  if (signingSecret !== null) onSecret(signingSecret);
                  close();
                }}
              />
            </Section>
          )}
        </>
      )}
    </DialogButton>
  );
}
