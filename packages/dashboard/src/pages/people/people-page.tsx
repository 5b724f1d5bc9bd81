/** One person: what was received of them, what became of it, and how much of them is stored. */
import { useEffect, useState } from 'react';
import { useAccountId } from '../../data/account.tsx';
import { useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Empty, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Story } from './person-story.tsx';
import { type Person, readFragment, readPerson, writeFragment } from './person.ts';

const LEAD =
  'Find a person by address or profile URL. The address of this page has them only behind its #, which is not sent to the server.';

export default function PeoplePage() {
  const [who, setWho] = useFragment();
  const [text, setText] = useState(who);
  useEffect(() => setText(who), [who]);
  const person = readPerson(who);
  return (
    <Page title="People" lead={LEAD}>
      <Form aria-label="Find a person" onSubmit={() => setWho(text)}>
        <TextField
          label="Address or profile URL"
          value={text}
          placeholder="ada@example.com"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <div>
          <Button type="submit" kind="primary" disabled={text.trim() === ''}>
            Find
          </Button>
        </div>
      </Form>
      {person !== null && <Found key={who} who={who} person={person} onFind={setWho} />}
    </Page>
  );
}

function useFragment(): [string, (text: string) => void] {
  const [text, setText] = useState(() => readFragment(window.location.hash));
  useEffect(() => {
    const read = () => setText(readFragment(window.location.hash));
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return [
    text,
    (next) => {
      // Another person replaces this one in the history of the browser.
      window.history.replaceState(window.history.state, '', window.location.pathname + writeFragment(next));
      setText(next.trim());
    },
  ];
}

/** Rows of each list at first, and after "Show older ones". */
const LIMITS = { first: 50, most: 500 } as const;

function Found({ who, person, onFind }: { who: string; person: Person; onFind: (text: string) => void }) {
  const accountId = useAccountId();
  const [limit, setLimit] = useState<number>(LIMITS.first);
  const input = { accountId, person: who, limit };
  const shown = useOperation('persons/show', input);
  return (
    <>
      <Loaded query={shown}>
        {(story) => (
          <>
            <Story story={story} onFind={onFind} />
            {story.incomplete.length > 0 && (
              <Notice
                action={
                  limit < LIMITS.most && (
                    <Button isSmall isBusy={shown.isFetching} onClick={() => setLimit(LIMITS.most)}>
                      Show older ones
                    </Button>
                  )
                }
              >
                The newest {limit} of these are shown: {story.incomplete.join(', ')}.
              </Notice>
            )}
          </>
        )}
      </Loaded>
      <CommandHint operation="persons/show" input={input} />
      <Stored person={person} />
    </>
  );
}

/** The dry run of an erasure reads the stored payloads too, so it runs only when somebody asks. */
function Stored({ person }: { person: Person }) {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const look = usePerform('persons/erase');
  return (
    <Section
      title="What is stored"
      actions={
        <ButtonLink href="~/erasure" state={person}>
          Erase this person …
        </ButtonLink>
      }
    >
      {look.data === undefined ? (
        <Empty
          action={
            isAdmin && (
              <Button isBusy={look.isPending} onClick={() => look.mutate({ ...person, accountId, isConfirmed: false })}>
                Look in all logs and payloads
              </Button>
            )
          }
        >
          Rows of all logs, and payloads that name the person. Looking changes nothing and takes a while in a long log.
        </Empty>
      ) : (
        <>
          <Table
            label="What is stored"
            rows={look.data.erased}
            keyOf={(row) => `${row.table} ${row.what}`}
            empty={<Empty>Nothing is stored of this person.</Empty>}
            columns={[
              { header: 'Where', cell: (row) => row.table },
              { header: 'What', align: 'wide', cell: (row) => row.what },
              { header: 'Rows', align: 'number', cell: (row) => row.rows.toLocaleString('en') },
            ]}
          />
          {look.data.otherIdentities.length > 0 && (
            <Notice>Their events also name {look.data.otherIdentities.join(', ')}.</Notice>
          )}
        </>
      )}
    </Section>
  );
}
