import type { UpdateWebhookBody, WebhookEndpoint } from '@svc/contract/types';
import { SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { DialogActions } from '../../parts/dialog.tsx';
import { ChoicesField, Form, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';

const EVENT_CHOICES = SUBSCRIBABLE_EVENT_TYPES.map((type) => ({ value: type, label: type }));

/** What the form asks for, whole. */
export type WebhookFields = Required<Pick<UpdateWebhookBody, 'url' | 'description' | 'enabledEvents'>>;

/** @param webhook null for a new one */
export function WebhookForm({
  webhook,
  action,
  isBusy,
  error,
  onSubmit,
  onCancel,
}: {
  webhook: WebhookEndpoint | null;
  action: string;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (fields: WebhookFields) => void;
  onCancel?: () => void;
}) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly string[]>(webhook?.enabledEvents ?? []);
  const enabledEvents = SUBSCRIBABLE_EVENT_TYPES.filter((type) => events.includes(type));
  return (
    <Form aria-label={action} onSubmit={() => onSubmit({ url: url.trim(), description, enabledEvents })}>
      <TextField
        label="URL"
        hint="An https URL at a public address."
        placeholder="https://hooks.example.com/svc"
        inputMode="url"
        autoComplete="off"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Description (optional)"
        autoComplete="off"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <ChoicesField
        label="Events"
        hint="None chosen: all of them."
        choices={EVENT_CHOICES}
        value={events}
        onChange={setEvents}
      />
      {error !== null && <Notice tone="bad">{error.message}</Notice>}
      <DialogActions>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {action}
        </Button>
      </DialogActions>
    </Form>
  );
}
