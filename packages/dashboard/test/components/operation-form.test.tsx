/** Forms that are made from the declaration of an operation. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { OperationForm } from '../../src/forms/operation-form.tsx';
import { RemoveButton } from '../../src/forms/remove-button.tsx';
import { expectAccessible, expectFitsPhone, show } from './support/render.tsx';

interface Answer {
  status: number;
  body: unknown;
}

/** Answers the page's calls, and keeps what they sent. An answer may be later. */
function answerWith(answer: () => Answer | Promise<Answer>) {
  const sent: { path: string; input: unknown }[] = [];
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request) => {
    if (!(request instanceof Request)) throw new Error('the page sends requests');
    sent.push({ path: new URL(request.url).pathname.replace(/^.*\/api\//, ''), input: await request.json() });
    const { status, body } = await answer();
    return Response.json(body, { status });
  });
  onTestFinished(() => spy.mockRestore());
  return sent;
}
const done = (result: unknown = {}): Answer => ({ status: 200, body: { result } });
const refusal = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
});

const save = () => page.getByRole('button', { name: 'Save', exact: true });
const field = (name: string) => page.getByLabelText(name, { exact: true });
const press = (keys: string) => userEvent.keyboard(keys);

function AddRelay({ onDone }: { onDone?: () => void }) {
  return (
    <OperationForm
      operation="relays/add"
      fields={['ccEmail', 'delayMinutes', 'bodyTemplates', 'categoryAllowlist']}
      fixed={{ connectionId: 3 }}
      action="Save"
      done="The relay is added."
      {...(onDone && { onDone })}
    />
  );
}

test('has the fields, hints and the command of the declaration', async () => {
  show(<AddRelay />);
  await expect.element(field('Cc email')).toHaveAccessibleDescription(/sales rep who gets the copy/);
  await expect.element(field('Cc email')).toBeRequired();
  await expect.element(field('Delay minutes')).not.toBeRequired();
  await expectAccessible();
  await expectFitsPhone();
  await field('Cc email').fill('rep@example.com');
  const command = page.getByText(/^svc-server relays add /);
  await expect.element(command).toMatchTextContent(/ --connection 3 --cc-email rep@example\.com$/);
});

test('leaves out what is empty, sends the kinds that are declared, and says when it is done', async () => {
  const sent = answerWith(() => done());
  const onDone = vi.fn<() => void>();
  show(<AddRelay onDone={onDone} />);
  await field('Cc email').fill('rep@example.com');
  await field('Delay minutes').fill('15');
  await press('{Enter}');
  await expect.element(page.getByText('The relay is added.')).toBeVisible();
  expect(sent).toEqual([
    { path: 'operations/relays/add', input: { connectionId: 3, ccEmail: 'rep@example.com', delayMinutes: 15 } },
  ]);
  expect(onDone).toHaveBeenCalledOnce();
});

test('is busy until the answer, and is not sent twice', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const sent = answerWith(() => promise);
  show(<AddRelay />);
  await field('Cc email').fill('rep@example.com');
  await press('{Enter}');
  await expect.element(save()).toHaveAttribute('aria-busy', 'true');
  await press('{Enter}');
  await save().click({ force: true });
  await expectAccessible();
  resolve(done());
  await expect.element(save()).not.toHaveAttribute('aria-busy');
  expect(sent).toHaveLength(1);
});

test('shows a refusal at its field, else above the buttons', async () => {
  let answer = refusal(400, 'invalid_input', 'ccEmail: must be an address');
  answerWith(() => answer);
  show(<AddRelay />);
  await field('Cc email').fill('rep');
  await save().click();
  await expect.element(field('Cc email')).toBeInvalid();
  await expect.element(field('Cc email')).toHaveAccessibleDescription(/must be an address$/);
  await expect.element(page.getByRole('alert')).toHaveTextContent('must be an address');
  await expectAccessible();

  answer = refusal(409, 'conflict', `Connection 3 may not relay replies. ${'It is switched off. '.repeat(20)}`);
  await save().click();
  await expect.element(page.getByRole('alert')).toMatchTextContent(/^Connection 3 may not relay replies\./);
  await expect.element(field('Cc email')).toBeValid();
  await expectAccessible();
  await expectFitsPhone();
});

test('does not send text that is no JSON', async () => {
  const sent = answerWith(() => done());
  show(<AddRelay />);
  await field('Category allowlist').fill('{ no json');
  await save().click();
  await expect.element(field('Category allowlist')).toBeInvalid();
  await expect.element(page.getByRole('alert')).toMatchTextContent(/^This is not JSON/);
  expect(sent).toEqual([]);
  await field('Category allowlist').fill('[{ "id": "1", "name": "Interested" }]');
  await save().click();
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]?.input).toMatchObject({ categoryAllowlist: [{ id: '1', name: 'Interested' }] });
});

test('choices, switches and options', async () => {
  const sent = answerWith(() => done());
  show(
    <OperationForm
      operation="destinations/bind"
      fields={['sourceId', 'eventTypes', 'isDelayed']}
      fixed={{ destinationId: 5 }}
      texts={{ sourceId: { label: 'Source', options: [{ value: 7, label: '7: smartlead' }] } }}
      action="Save"
    />,
  );
  await expect.element(field('Source')).toBeVisible();
  await expectAccessible();
  await field('Source').selectOptions('7');
  await field('EMAIL_REPLY').click();
  await field('Is delayed').click();
  await save().click();
  await expect.poll(() => sent).toHaveLength(1);
  expect(sent[0]?.input).toEqual({ destinationId: 5, sourceId: 7, eventTypes: ['EMAIL_REPLY'], isDelayed: true });
});

test('a viewer reads the form and cannot send it', async () => {
  show(<AddRelay />, { role: 'viewer' });
  await expect.element(save()).toBeDisabled();
  await expect.element(save()).toHaveAttribute('title', 'Only admins change something.');
  await expectAccessible();
});

test('a removal says what goes with it before it removes anything', async () => {
  const plan = 'It removes source 7 with 12 requests.';
  const sent = answerWith(() => refusal(409, 'not_confirmed', `${plan} Nothing is removed yet: --yes`));
  show(<RemoveButton operation="sources/remove" id={7} what="source 7" />);
  const remove = page.getByRole('button', { name: 'Remove …' });
  await expect.element(remove).toBeVisible();
  await press('{Tab}{Enter}');
  const dialog = page.getByRole('dialog', { name: 'Remove the source 7?' });
  await expect.element(dialog).toHaveAccessibleDescription(plan);
  await expectAccessible();
  await press('{Escape}');
  await expect.element(remove).toHaveFocus();
  expect(sent).toEqual([{ path: 'operations/sources/remove', input: { id: 7 } }]);
});
