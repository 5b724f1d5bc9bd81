/** What the parts do with the keyboard alone, and where the focus is afterwards. */
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Button } from '../../src/parts/button.tsx';
import { CopyText } from '../../src/parts/copy.tsx';
import { ConfirmButton, DialogActions, DialogButton } from '../../src/parts/dialog.tsx';
import { ChoicesField, Form, SelectField, SwitchField, TextField } from '../../src/parts/field.tsx';
import { Loaded } from '../../src/parts/page.tsx';
import { Table } from '../../src/parts/table.tsx';
import { useToasts } from '../../src/parts/toast.tsx';
import { expectAccessible, show } from './support/render.tsx';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const press = (keys: string) => userEvent.keyboard(keys);

test('a busy button does nothing, and keeps the focus', async () => {
  const onClick = vi.fn<(pressed: void) => void>();
  function Example() {
    const [isBusy, setBusy] = useState(false);
    return <Button isBusy={isBusy} children="Save" onClick={() => onClick(setBusy(true))} />;
  }
  show(<Example />);
  await expect.element(button('Save')).toBeVisible();
  await press('{Tab}{Enter}');
  await expect.element(button('Save')).toHaveAttribute('aria-busy', 'true');
  await expect.element(button('Save')).toHaveAttribute('aria-disabled', 'true');
  await press('{Enter} ');
  await expect.element(button('Save')).toHaveFocus();
  expect(onClick).toHaveBeenCalledOnce();
});

test('a field is named by its label, described by its hint, and says what is wrong', async () => {
  show(<TextField label="Name" hint="Its purpose." error="must not be empty" value="" onChange={() => {}} />);
  const field = page.getByRole('textbox', { name: 'Name', exact: true });
  await expect.element(field).toHaveAccessibleDescription('Its purpose. must not be empty');
  await expect.element(field).toBeInvalid();
  await expect.element(page.getByRole('alert')).toHaveTextContent('must not be empty');
});

test('a form is filled in and sent without a mouse', async () => {
  const onSubmit = vi.fn<(values: object) => void>();
  function Example() {
    const [name, setName] = useState('');
    const [crm, setCrm] = useState('');
    const [isOn, setOn] = useState(false);
    const [scopes, setScopes] = useState<string[]>(['read']);
    return (
      <Form aria-label="Example" onSubmit={() => onSubmit({ name, crm, isOn, scopes })}>
        <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
        <SelectField label="CRM" value={crm} onChange={(event) => setCrm(event.target.value)}>
          <option value="">Choose …</option>
          <option value="HUBSPOT">HubSpot</option>
        </SelectField>
        <SwitchField label="On" checked={isOn} onChange={setOn} />
        <ChoicesField
          label="Scopes"
          choices={['read', 'write'].map((value) => ({ value, label: value }))}
          value={scopes}
          onChange={setScopes}
        />
        <Button type="submit">Send</Button>
      </Form>
    );
  }
  show(<Example />);
  await expect.element(page.getByRole('textbox')).toBeVisible();
  await press('{Tab}Replies{Tab}h{Tab} {Tab} {Tab} {Tab}');
  await expect.element(button('Send')).toHaveFocus();
  await press('{Enter}');
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith({ name: 'Replies', crm: 'HUBSPOT', isOn: true, scopes: ['write'] });
});

test('what could not be read is read again', async () => {
  const refetch = vi.fn<() => void>();
  const query = { data: undefined, error: new Error('The server did not answer.'), isFetching: false, refetch };
  show(<Loaded query={query}>{() => null}</Loaded>);
  await expect.element(page.getByRole('alert')).toMatchTextContent(/^The server did not answer\./);
  await press('{Tab}{Enter}');
  expect(refetch).toHaveBeenCalledOnce();
});

test('a table that is wider than the page gets the focus, so that arrow keys scroll it', async () => {
  const columns = Array.from({ length: 30 }, (_, index) => ({ header: `Column ${index}`, cell: () => 'value' }));
  show(<Table label="Wide" rows={[1]} keyOf={(row) => row} empty={null} columns={columns} />);
  const frame = page.getByRole('region', { name: 'Wide' });
  await expect.element(frame).toBeVisible();
  await press('{Tab}');
  await expect.element(frame).toHaveFocus();
  await press('{ArrowRight}');
  await expect.poll(() => frame.element().scrollLeft).toBeGreaterThan(0);
});

test('a text is copied, and the button says so', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  show(<CopyText text="https://sync.example.com/webhooks/a0b1" label="Copy the URL" />);
  await expect.element(button('Copy the URL')).toBeVisible();
  await press('{Tab}{Enter}');
  expect(write).toHaveBeenCalledExactlyOnceWith('https://sync.example.com/webhooks/a0b1');
  await expect.element(page.getByText('Copied')).toBeVisible();
});

function Say({ text }: { text: string }) {
  const toasts = useToasts();
  return <Button onClick={() => toasts.warn(text)}>Fail</Button>;
}

test('a message that something failed stays until it is closed', async () => {
  show(<Say text="The CRM did not answer." />);
  await button('Fail').click();
  const message = page.getByText('The CRM did not answer.');
  await expect.element(message).toBeVisible();
  await expectAccessible();
  await press('{Tab}{Tab}');
  await expect.element(page.getByLabelText('Close this message')).toHaveFocus();
  await press('{Enter}');
  await expect.element(message).not.toBeInTheDocument();
});

test('a dialog takes the focus, keeps it, and gives it back', async () => {
  show(
    <>
      <DialogButton label="Add" title="Add a source" description="It gets a URL.">
        {(close) => (
          <Form aria-label="Add a source" onSubmit={close}>
            <TextField label="Platform" />
            <DialogActions>
              <Button onClick={close}>Cancel</Button>
              <Button type="submit">Save</Button>
            </DialogActions>
          </Form>
        )}
      </DialogButton>
      <Button>Behind</Button>
    </>,
  );
  const dialog = page.getByRole('dialog', { name: 'Add a source' });
  await expect.element(button('Add')).toBeVisible();
  await press('{Tab}');
  for (const end of ['{Escape}', '{Enter}']) {
    await press('{Enter}');
    await expect.element(dialog).toBeVisible();
    await expect.element(dialog).toHaveAccessibleDescription('It gets a URL.');
    await expect.element(page.getByRole('textbox')).toHaveFocus();
    await expectAccessible();
    for (let step = 0; step < 4; step += 1) {
      await press('{Tab}');
      await expect.poll(() => dialog.element().contains(document.activeElement)).toBe(true);
    }
    (page.getByRole('textbox').element() as HTMLElement).focus();
    await press(end);
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(button('Add')).toHaveFocus();
  }
});

test('a question that cannot be undone begins at the answer that changes nothing', async () => {
  const onConfirm = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('refused')));
  show(
    <ConfirmButton
      label="Remove"
      title="Remove source 7?"
      description="Its URL answers 404."
      action="Remove it"
      onConfirm={onConfirm}
    />,
  );
  await expect.element(button('Remove')).toBeVisible();
  await press('{Tab}{Enter}');
  const question = page.getByRole('alertdialog', { name: 'Remove source 7?' });
  await expect.element(question).toHaveAccessibleDescription('Its URL answers 404.');
  await expect.element(button('Cancel')).toHaveFocus();
  await expectAccessible();
  await press('{Enter}');
  await expect.element(question).not.toBeInTheDocument();
  await expect.element(button('Remove')).toHaveFocus();
  expect(onConfirm).not.toHaveBeenCalled();

  await press('{Enter}');
  await expect.element(button('Cancel')).toHaveFocus();
  await press('{Tab}{Enter}');
  expect(onConfirm).toHaveBeenCalledOnce();
  // What was refused can be tried again.
  await expect.element(button('Remove it')).not.toHaveAttribute('aria-busy');

  let finish = () => {};
  onConfirm.mockImplementation(() => new Promise((resolve) => (finish = resolve)));
  await button('Remove it').click();
  await expect.element(button('Remove it')).toHaveAttribute('aria-busy', 'true');
  finish();
  await expect.element(question).not.toBeInTheDocument();
  await expect.element(button('Remove')).toHaveFocus();
});
