import { Link, useLocation, useParams } from 'wouter';
import { useAccountId } from '../../data/account.tsx';
import { useSourceChoices } from '../../data/choices.ts';
import { type AdminResult, useOperation, usePerform } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { Empty, Facts, Loaded, Notice, Page, Section } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { RelayForm } from './relay-form.tsx';

type ReplyRelay = AdminResult<'relays/list'>['replyRelays'][number];

const PARENT = { label: 'Reply relays', href: '/relays' };

export default function RelayPage() {
  const { id = '' } = useParams();
  const accountId = useAccountId();
  const relays = useOperation('relays/list', { accountId });
  return (
    <Loaded query={relays}>
      {({ replyRelays }) => {
        const relay = replyRelays.find((each) => each.id === Number(id));
        return relay === undefined ? (
          <Page title="Reply relay" parent={PARENT}>
            <Notice tone="warn">There is no relay {id} in this account.</Notice>
          </Page>
        ) : (
          <Relay relay={relay} />
        );
      }}
    </Loaded>
  );
}

function Relay({ relay }: { relay: ReplyRelay }) {
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const remove = (
    <RemoveButton
      operation="relays/remove"
      id={relay.id}
      what={`relay ${relay.id}`}
      onDone={() => navigate('/relays')}
    />
  );
  return (
    <Page title={relay.ccEmail} parent={PARENT} lead={relay.description} actions={remove}>
      <Facts
        facts={[
          ['Connection', String(relay.connectionId)],
          ['Recipients', [...namesOf(relay.routes), relay.ccEmail].join(', else ')],
          ['Delay', relay.delayMinutes === 0 ? 'none' : `${relay.delayMinutes} minutes`],
          ['Categories', relay.categoryAllowlist.map(({ name }) => name).join(', ') || 'all replies'],
          [
            'Texts',
            relay.bodyTemplates.length === 0 ? 'that of the service' : `${relay.bodyTemplates.length} of your own`,
          ],
        ]}
      />
      <Sources relay={relay} />
      {isAdmin && (
        <Section title="Settings">
          {/* A saved relay begins a new form. */}
          <RelayForm key={JSON.stringify(relay)} relay={relay} onDone={() => {}} />
        </Section>
      )}
      <Mails relayId={relay.id} />
    </Page>
  );
}

function namesOf(routes: ReplyRelay['routes']): string[] {
  return (routes ?? []).map((route) => (typeof route === 'string' ? route : 'campaigns'));
}

function Sources({ relay }: { relay: ReplyRelay }) {
  const isAdmin = useIsAdmin();
  const sources = useSourceChoices(relay.connectionId);
  const unbind = usePerform('relays/unbind', { done: 'Replies of the source are relayed no more.' });
  const others = sources?.filter(({ value }) => !relay.sourceIds.includes(value));
  return (
    <Section title="Sources">
      <Table
        label="Sources of the relay"
        rows={relay.sourceIds}
        keyOf={(each) => each}
        empty={<Empty>The relay is bound to no source, so it relays nothing.</Empty>}
        columns={[
          {
            header: 'Source',
            align: 'wide',
            cell: (each) => (
              <Link href={`/sources/${each}`}>{sources?.find(({ value }) => value === each)?.label ?? each}</Link>
            ),
          },
          {
            header: <span className="visually-hidden">Actions</span>,
            cell: (each) =>
              isAdmin && (
                <Button
                  isSmall
                  isBusy={unbind.isPending}
                  onClick={() => unbind.mutate({ relayId: relay.id, sourceId: each })}
                >
                  Unbind
                </Button>
              ),
          },
        ]}
      />
      {isAdmin && others?.length !== 0 && (
        <OperationForm
          key={relay.sourceIds.join()}
          operation="relays/bind"
          fields={['sourceId']}
          fixed={{ relayId: relay.id }}
          texts={{
            sourceId: {
              label: 'Bind a source',
              hint: 'A source has one relay: this one replaces another.',
              ...(others === undefined ? {} : { options: others }),
            },
          }}
          action="Bind"
          done="Replies of the source are relayed from now on."
        />
      )}
    </Section>
  );
}

function Mails({ relayId }: { relayId: number }) {
  const isAdmin = useIsAdmin();
  const mails = useOperation('relays/log', { relayId, limit: 100 });
  const resend = usePerform('relays/resend', { done: ({ mail }) => `Mail ${mail?.id ?? ''} is sent again.` });
  return (
    <Section title="Mails">
      <Loaded query={mails}>
        {({ mails: rows }) => (
          <Table
            label="Mails of the relay"
            rows={rows}
            keyOf={(row) => row.id}
            empty={<Empty>No reply was relayed yet.</Empty>}
            columns={[
              { header: 'State', cell: (row) => <Status tone={toneOf(row.status)}>{row.status}</Status> },
              { header: 'Lead', align: 'wide', cell: (row) => row.lead ?? '–' },
              {
                header: 'To',
                align: 'wide',
                cell: ({ to, route }) => (route === null || route === 'fixed' ? (to ?? '–') : `${to} (${route})`),
              },
              { header: 'Due', cell: (row) => <Time at={row.dueAt} /> },
              { header: 'Ended', cell: (row) => <Time at={row.endedAt} /> },
              { header: 'Attempts', align: 'number', cell: (row) => row.attempts },
              { header: 'Reason', align: 'wide', cell: (row) => row.reason ?? row.routeNote ?? '' },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) =>
                  isAdmin && row.endedAt !== null ? (
                    <ConfirmButton
                      label="Send again"
                      button={{ isSmall: true }}
                      title="Send this mail again?"
                      description={
                        row.status === 'sent' ? 'The sales rep gets a second copy.' : 'It was not sent before.'
                      }
                      action="Send"
                      onConfirm={() => resend.mutateAsync({ mailId: row.id, again: row.status === 'sent' })}
                    />
                  ) : null,
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="relays/log" input={{ relayId }} />
    </Section>
  );
}
