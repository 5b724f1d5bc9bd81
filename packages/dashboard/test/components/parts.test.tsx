/** Each part in each of its states: what axe finds in light and dark, and whether long texts stay inside a phone. */
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { Button, ButtonLink } from '../../src/parts/button.tsx';
import { Code, CopyText, ShownOnce } from '../../src/parts/copy.tsx';
import { ChoicesField, Form, SelectField, SwitchField, TextArea, TextField } from '../../src/parts/field.tsx';
import { FilterBar } from '../../src/parts/filter-bar.tsx';
import { Empty, Facts, Loaded, Notice, Page, Section } from '../../src/parts/page.tsx';
import { Status, Tag, type Tone } from '../../src/parts/status.tsx';
import { More, Table } from '../../src/parts/table.tsx';
import { ExactTime, Time } from '../../src/parts/time.tsx';
import { expectAccessible, expectFitsPhone, show } from './support/render.tsx';

const WORDS = 'A sequencer whose workspace has a name that goes on and on. '.repeat(4);
const ONE_WORD = `https://sync.example.com/webhooks/${'a0b1c2d3'.repeat(30)}`;
const NOTHING = () => {};
const TONES: readonly Tone[] = ['good', 'warn', 'bad', 'waiting', 'neutral'];
const AT = '2026-03-14T09:26:53.589Z';

const table = (rows: readonly { id: number; text: string }[]) => (
  <Table
    label="Syncs"
    rows={rows}
    keyOf={({ id }) => id}
    empty={<Empty>There are none yet.</Empty>}
    columns={[
      { header: 'Id', align: 'number', cell: ({ id }) => id },
      { header: 'Person', align: 'wide', cell: ({ text }) => text },
      { header: <span className="visually-hidden">Actions</span>, cell: () => <Button isSmall>Retry</Button> },
    ]}
  />
);
const loaded = (state: { data?: string; error?: Error; isFetching?: boolean }) => (
  <Loaded query={{ data: undefined, error: null, isFetching: false, refetch: NOTHING, ...state }}>
    {(data) => <p>{data}</p>}
  </Loaded>
);

const STATES: Readonly<Record<string, ReactNode>> = {
  'buttons of each kind': (['normal', 'primary', 'danger', 'plain'] as const).map((kind) => (
    <p key={kind}>
      <Button kind={kind}>Save</Button> <Button kind={kind} isSmall children="Save" />
      <Button kind={kind} isBusy children="Save" /> <Button kind={kind} disabled children="Save" />
      <ButtonLink kind={kind} href="/sources" children="Open" />
    </p>
  )),
  'a button with a long text': <Button>{WORDS}</Button>,
  'text fields, empty': <TextField label="Name" value="" onChange={NOTHING} placeholder="Replies" />,
  'text fields, with a hint and an error': (
    <TextField label="Name" hint="Its purpose." error="must not be empty" value="" onChange={NOTHING} />
  ),
  'text fields, disabled': <TextField label="Name" disabled value="Replies" onChange={NOTHING} />,
  'fields with long texts': (
    <Form onSubmit={NOTHING} aria-label="Save">
      <TextField label={WORDS} hint={ONE_WORD} error={ONE_WORD} isMono value={ONE_WORD} onChange={NOTHING} />
      <TextArea label={WORDS} hint={ONE_WORD} error={WORDS} isMono value={ONE_WORD} onChange={NOTHING} />
      <SelectField label={WORDS} hint={ONE_WORD} value="" onChange={NOTHING}>
        <option value="">{ONE_WORD}</option>
      </SelectField>
      <SwitchField label={ONE_WORD} hint={WORDS} checked onChange={NOTHING} />
    </Form>
  ),
  'switches, on, off and disabled': (
    <>
      <SwitchField label="On" hint="What it does." checked onChange={NOTHING} />
      <SwitchField label="Off" checked={false} onChange={NOTHING} />
      <SwitchField label="Disabled" hint="Only admins." checked={false} disabled onChange={NOTHING} />
    </>
  ),
  'choices, none and some chosen': (
    <>
      <ChoicesField label="Events" choices={[{ value: 'a', label: 'Sent' }]} value={[]} onChange={NOTHING} />
      <ChoicesField
        label="Scopes"
        hint="Write includes read."
        choices={[
          { value: 'read', label: 'read' },
          { value: 'write', label: ONE_WORD },
        ]}
        value={['write']}
        onChange={NOTHING}
      />
    </>
  ),
  'a page with a long title': (
    <Page title={ONE_WORD} lead={WORDS} parent={{ label: WORDS, href: '/sources' }} actions={<Button>Add</Button>}>
      <Section title={WORDS} actions={<Button isSmall>Add</Button>}>
        <p>{WORDS}</p>
      </Section>
    </Page>
  ),
  'nothing yet': <Empty action={<Button kind="primary">Add a source</Button>}>{WORDS}</Empty>,
  'notices of each tone': (['neutral', 'good', 'warn', 'bad'] as const).map((tone) => (
    <Notice key={tone} tone={tone} action={<Button isSmall>Mend it</Button>}>
      {ONE_WORD}
    </Notice>
  )),
  facts: <Facts facts={[['URL', ONE_WORD], ['Policy', WORDS], null]} />,
  'what loads': loaded({}),
  'what could not be read': loaded({ error: new Error(WORDS) }),
  'what is read again after an error': loaded({ error: new Error('The server did not answer.'), isFetching: true }),
  'what was read': loaded({ data: ONE_WORD }),
  'states and tags': TONES.map((tone) => (
    <p key={tone}>
      <Status tone={tone}>{tone}</Status> <Tag>EMAIL_REPLY</Tag> <Tag>{ONE_WORD}</Tag>
    </p>
  )),
  'a table without rows': table([]),
  'a table with a long text': table([{ id: 1, text: ONE_WORD }]),
  'the end of lists': (
    <>
      <More count={1_000} hasMore isBusy={false} onMore={NOTHING} />
      <More count={50} hasMore isBusy onMore={NOTHING} />
      <More count={0} hasMore={false} isBusy={false} onMore={NOTHING} />
    </>
  ),
  filters: (
    <FilterBar onClear={NOTHING}>
      <TextField label="Person" value={ONE_WORD} onChange={NOTHING} />
    </FilterBar>
  ),
  'what is copied': (
    <>
      <CopyText text={ONE_WORD} label="Copy the URL" />
      <ShownOnce secret={ONE_WORD} label="Copy the key" />
      <Code value={{ url: ONE_WORD, html: '<img src=x onerror=alert(1)>' }} label="Payload" />
    </>
  ),
  times: (
    <p>
      <Time at={AT} /> <Time at={null} /> <ExactTime at={AT} />
    </p>
  ),
};

test.each(Object.keys(STATES))('%s', async (name) => {
  const container = show(STATES[name]);
  await expect.poll(() => container.childElementCount).toBeGreaterThan(0);
  await expectAccessible();
  await expectFitsPhone();
});
