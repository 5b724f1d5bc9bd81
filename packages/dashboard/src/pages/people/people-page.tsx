/** One person: what was sent to them, what they answered, and how much of them is stored. */
import { useEffect, useState } from 'react';
import { useAccountId, useApi } from '../../data/account.tsx';
import { usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Form, TextField } from '../../parts/field.tsx';
import { Empty, Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
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
      {person !== null && <Found key={who} person={person} />}
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

function Found({ person }: { person: Person }) {
  const { email, profileUrl } = person;
  const outreach = useApi(['outreach', person], (client) =>
    client.contacts.outreach({
      ...(email === undefined ? {} : { email }),
      ...(profileUrl === undefined ? {} : { profileUrls: [profileUrl] }),
    }),
  );
  return (
    <>
      <Loaded query={outreach}>
        {({ found, summary, eventTypes, platforms, outcomes, doNotContact }) =>
          found ? (
            <>
              <Section title="Outreach">
                <Facts
                  facts={[
                    [
                      'May be contacted',
                      doNotContact.value ? (
                        <Status key="no" tone="bad">
                          no: {doNotContact.reasons.join(', ')}
                        </Status>
                      ) : (
                        <Status key="yes" tone="good">
                          yes
                        </Status>
                      ),
                    ],
                    ['Events', summary.totalEvents.toLocaleString('en')],
                    ['First touch', <Time key="first" at={summary.firstTouchAt} />],
                    ['Last touch', <Time key="last" at={summary.lastTouchAt} />],
                    ['Last reply', <Time key="reply" at={outcomes.lastReplyAt} none="none" />],
                    outcomes.lastCategoryName !== null && ['Category', outcomes.lastCategoryName],
                    ['Platforms', platforms.map((each) => `${each.platform} (${each.count})`).join(', ')],
                  ]}
                />
              </Section>
              <Section title="Events by type">
                <Table
                  label="Events by type"
                  rows={eventTypes}
                  keyOf={(row) => row.eventType}
                  empty={<Empty>No event was written or forwarded.</Empty>}
                  columns={[
                    { header: 'Type', align: 'wide', cell: (row) => row.eventType },
                    { header: 'Count', align: 'number', cell: (row) => row.count.toLocaleString('en') },
                    { header: 'First', cell: (row) => <Time at={row.firstAt} /> },
                    { header: 'Last', cell: (row) => <Time at={row.lastAt} /> },
                  ]}
                />
              </Section>
            </>
          ) : (
            <Empty>Nothing that was written or forwarded names this person. Payloads may still name them.</Empty>
          )
        }
      </Loaded>
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
