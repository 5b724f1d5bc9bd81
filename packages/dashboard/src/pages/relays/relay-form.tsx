import {
  renderTemplate,
  TEMPLATE_FIELDS,
  templateProblem,
  type TemplateValues,
} from '@svc/domain/relays/relay-template';
import { useState } from 'react';
import { useConnectionChoices } from '../../data/choices.ts';
import { type AdminResult, usePerform } from '../../data/operations.ts';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/copy.tsx';
import { DialogActions } from '../../parts/dialog.tsx';
import { Form, SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/page.tsx';
import { formatRoutes, parseRoutes } from './routes-text.ts';

/** What the preview shows in place of the fields. */
const EXAMPLE: TemplateValues = {
  leadName: 'Paul Adler',
  leadEmail: 'paul@oakdental.example.org',
  senderName: 'Kim Larsen',
  senderEmail: 'kim@northwind.example.com',
  firstName: 'Paul',
  lastName: 'Adler',
  companyName: 'Oak Dental',
  jobTitle: 'Practice manager',
  phone: '+1 555 0100',
  profileUrl: 'https://www.linkedin.com/in/paul-adler-example',
  campaignName: 'Dentists, spring',
  category: 'Interested',
  platform: 'smartlead',
  mailbox: 'kim@northwind.example.com',
  subject: 'Re: A question about your practice',
  replyText: 'Yes, call me on Tuesday.',
  receivedAt: '2026-03-02 09:30 UTC',
};

/** @param relay null adds one. @param onDone gets the id of the relay */
export function RelayForm({
  relay,
  onDone,
  onCancel,
}: {
  relay: AdminResult<'relays/list'>['replyRelays'][number] | null;
  onDone: (id: number) => void;
  onCancel?: () => void;
}) {
  const connections = useConnectionChoices();
  const [connectionId, setConnectionId] = useState('');
  const [ccEmail, setCcEmail] = useState(relay?.ccEmail ?? '');
  const [delay, setDelay] = useState(String(relay?.delayMinutes ?? 0));
  const [description, setDescription] = useState(relay?.description ?? '');
  const [templates, setTemplates] = useState<readonly string[]>(relay?.bodyTemplates ?? []);
  const [categories, setCategories] = useState(
    (relay?.categoryAllowlist ?? []).map(({ id, name }) => `${id}=${name}`).join('\n'),
  );
  const [routes, setRoutes] = useState(formatRoutes(relay?.routes ?? null));
  const done = relay === null ? 'The relay is added. Bind it to a source.' : 'The relay is changed.';
  const add = usePerform('relays/add', { showsErrors: true, done });
  const update = usePerform('relays/update', { showsErrors: true, done });
  const change = relay === null ? add : update;
  const categoryAllowlist = categories
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', ...name] = line.split('=');
      return { id: id.trim(), name: name.join('=').trim() || id.trim() };
    });
  const settings = {
    ccEmail,
    delayMinutes: Number(delay),
    description,
    bodyTemplates: [...templates],
    categoryAllowlist,
  };
  const submit = () => {
    if (relay === null) {
      const chosen = parseRoutes(routes);
      const input = { connectionId: Number(connectionId), ...settings, ...(chosen !== null && { routes: chosen }) };
      add.mutate(input, { onSuccess: ({ replyRelay }) => onDone(replyRelay.id) });
    } else {
      const input = { id: relay.id, ...settings, routes: parseRoutes(routes) };
      update.mutate(input, { onSuccess: ({ replyRelay }) => onDone(replyRelay.id) });
    }
  };
  const setTemplate = (index: number, text: string) =>
    setTemplates(templates.map((each, at) => (at === index ? text : each)));
  return (
    <Form onSubmit={submit} aria-label="Reply relay">
      {relay === null && (
        <SelectField label="Connection" value={connectionId} onChange={(event) => setConnectionId(event.target.value)}>
          <option value="">Choose …</option>
          {connections.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label="Sales rep"
        type="email"
        hint="Gets the copy of each reply, unless a route names another."
        value={ccEmail}
        onChange={(event) => setCcEmail(event.target.value)}
      />
      <TextArea
        label="Routes (optional)"
        hint="The first that knows a rep decides. One a line: crm-owner, policy-owner, or a campaign (id or name) = address."
        rows={3}
        value={routes}
        onChange={(event) => setRoutes(event.target.value)}
      />
      <TextField
        label="Delay in minutes"
        inputMode="numeric"
        hint="After the reply, at most 30 days."
        value={delay}
        onChange={(event) => setDelay(event.target.value)}
      />
      <TextField
        label="Description (optional)"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextArea
        label="Only leads of these categories (optional)"
        hint="One a line, as id=name: 7=Interested. Empty: all replies."
        rows={2}
        value={categories}
        onChange={(event) => setCategories(event.target.value)}
      />
      {templates.map((template, index) => (
        <Template
          key={index}
          number={index + 1}
          template={template}
          onChange={(text) => setTemplate(index, text)}
          onRemove={() => setTemplates(templates.filter((_each, at) => at !== index))}
        />
      ))}
      <div>
        <Button
          isSmall
          onClick={() => setTemplates([...templates, 'Hi {{senderName}},\n\n{{leadName}} wrote:\n{{replyText}}'])}
        >
          {templates.length === 0 ? 'Write a text of your own' : 'Add another text'}
        </Button>
      </div>
      {change.error !== null && <Notice tone="bad">{change.error.message}</Notice>}
      {relay !== null && (
        <CommandHint operation="relays/update" input={{ id: relay.id, ccEmail, delayMinutes: Number(delay) }} />
      )}
      <DialogActions>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" kind="primary" isBusy={change.isPending}>
          {relay === null ? 'Add' : 'Save'}
        </Button>
      </DialogActions>
    </Form>
  );
}

/** A text of the mail, and beside it the mail as its reader sees it. */
function Template({
  number,
  template,
  onChange,
  onRemove,
}: {
  number: number;
  template: string;
  onChange: (text: string) => void;
  onRemove: () => void;
}) {
  const problem = templateProblem(template);
  return (
    <>
      <TextArea
        label={`Text ${number}`}
        hint={`Fields: ${TEMPLATE_FIELDS.map((field) => `{{${field}}}`).join(' ')}`}
        error={problem === null ? null : `The text ${problem}.`}
        value={template}
        onChange={(event) => onChange(event.target.value)}
      />
      {problem === null && <Code label={`Preview of text ${number}`} value={renderTemplate(template, EXAMPLE).text} />}
      <div>
        <Button isSmall onClick={onRemove}>
          Remove text {number}
        </Button>
      </div>
    </>
  );
}
