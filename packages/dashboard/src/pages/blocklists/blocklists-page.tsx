import { useAccountId, useClient } from '../../data/account.tsx';
import { useConnectionChoices } from '../../data/choices.ts';
import { type AdminResult, useChange, useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { CommandHint } from '../../forms/command-hint.tsx';
import { OperationForm } from '../../forms/operation-form.tsx';
import { RemoveButton } from '../../forms/remove-button.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Empty, Facts, Loaded, Page, Section } from '../../parts/page.tsx';
import { Status, toneOf } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Blocklist = AdminResult<'blocklists/list'>['blocklists'][number];

const LEAD =
  'Members of a list in the CRM are kept out of the sequencer: each list is fetched regularly and after a resync.';

const ROUND_TEXTS = {
  every: { label: 'How often it is fetched', hint: 'Such as 6h: 15m to 7d. A new list is fetched daily.' },
  removes: {
    label: 'Remove what leaves the CRM list',
    hint: 'At the sequencer, too. Otherwise it stays blocked there.',
  },
};

export default function BlocklistsPage() {
  const accountId = useAccountId();
  const isAdmin = useIsAdmin();
  const lists = useOperation('blocklists/list', { accountId });
  const add = isAdmin ? <AddBlocklist /> : null;
  return (
    <Page title="Block lists" lead={LEAD} actions={add}>
      <Loaded query={lists}>
        {({ blocklists: rows }) => (
          <Table
            label="Block lists"
            rows={rows}
            keyOf={(row) => row.id}
            empty={
              <Empty>
                There are no block lists yet. Make a list in the CRM of whom no campaign may contact, then add it here.
              </Empty>
            }
            columns={[
              { header: 'List', align: 'wide', cell: (row) => <Details row={row} /> },
              { header: 'Sequencer', cell: (row) => `${row.platform}, ${row.blockType.toLowerCase()}` },
              { header: 'State', cell: (row) => <State row={row} /> },
              { header: 'Pushed', align: 'number', cell: (row) => row.syncedCount.toLocaleString('en') },
              { header: 'Waiting', align: 'number', cell: (row) => row.pendingCount.toLocaleString('en') },
              { header: 'Fetched', cell: (row) => <Time at={row.lastFetchedAt} none="not yet" /> },
              {
                header: <span className="visually-hidden">Actions</span>,
                cell: (row) => (isAdmin ? <Actions row={row} /> : null),
              },
            ]}
          />
        )}
      </Loaded>
      <CommandHint operation="blocklists/list" input={{ accountId }} />
    </Page>
  );
}

function State({ row }: { row: Blocklist }) {
  if (!row.isEnabled) return <Status tone="warn">paused</Status>;
  if (row.lastError !== null) return <Status tone="bad">failed</Status>;
  return <Status tone={toneOf(row.status)}>{row.status.toLowerCase().replaceAll('_', ' ')}</Status>;
}

/** The name opens what is known and can be changed of a list. */
function Details({ row }: { row: Blocklist }) {
  const isAdmin = useIsAdmin();
  return (
    <DialogButton label={row.listName} button={{ isSmall: true }} title={row.listName} isWide>
      {(close) => (
        <>
          <Facts
            facts={[
              ['Connection', String(row.connectionId)],
              ['Sequencer', `${row.platform}, ${row.blockType.toLowerCase()}`],
              row.clientId !== null && ['Client', row.clientId],
              ['State', <State key="state" row={row} />],
              ['Last attempt', <Time key="at" at={row.lastAttemptedAt} none="none yet" />],
              row.lastError !== null && ['Last error', row.lastError],
              [
                'Entries that leave the CRM list',
                row.removes
                  ? `are removed at the sequencer: ${row.removals.removed} so far, ${row.removals.waiting} wait`
                  : 'stay at the sequencer',
              ],
              row.removals.error !== null && ['Why they are not removed', row.removals.error],
              ['Added', <Time key="added" at={row.createdAt} />],
            ]}
          />
          {isAdmin && (
            <>
              <Section title="Change">
                <OperationForm
                  operation="blocklists/update"
                  fields={['listName', 'crmListId', 'clientId', 'instanceUrl', 'every', 'removes']}
                  fixed={{ id: row.id }}
                  initial={{ listName: row.listName, removes: row.removes }}
                  texts={ROUND_TEXTS}
                  action="Save"
                  done="The block list is changed."
                  onDone={close}
                />
              </Section>
              <Section title="API key of the sequencer">
                <OperationForm
                  operation="blocklists/set-token"
                  fields={['sequencerToken']}
                  fixed={{ blocklistId: row.id }}
                  texts={{ sequencerToken: { label: 'New API key', hint: 'It is stored encrypted.' } }}
                  action="Replace the API key"
                  done="The block list has a new API key."
                  onDone={close}
                />
              </Section>
              <div>
                <RemoveButton operation="blocklists/remove" id={row.id} what={`block list ${row.id}`} onDone={close} />
              </div>
            </>
          )}
        </>
      )}
    </DialogButton>
  );
}

function Actions({ row }: { row: Blocklist }) {
  const client = useClient();
  const resync = useChange(() => client.blocklists.resync(row.id), {
    done: `"${row.listName}" is fetched and pushed again.`,
  });
  const pause = useChange(() => client.blocklists.pause(row.id), { done: `"${row.listName}" is paused.` });
  return (
    <>
      <Button isSmall isBusy={resync.isPending} onClick={() => resync.mutate(undefined)}>
        {row.isEnabled ? 'Resync' : 'Resume'}
      </Button>{' '}
      {row.isEnabled && (
        <Button isSmall isBusy={pause.isPending} onClick={() => pause.mutate(undefined)}>
          Pause
        </Button>
      )}
    </>
  );
}

function AddBlocklist() {
  const connections = useConnectionChoices();
  return (
    <DialogButton label="Add a block list" button={{ kind: 'primary' }} title="Add a block list" isWide>
      {(close) => (
        <OperationForm
          operation="blocklists/add"
          fields={[
            'connectionId',
            'listName',
            'crmListId',
            'platform',
            'blockType',
            'sequencerToken',
            'clientId',
            'instanceUrl',
            'every',
            'removes',
          ]}
          texts={{
            connectionId: { label: 'Connection', options: connections },
            listName: { label: 'Name' },
            crmListId: { label: 'Id of the list in the CRM' },
            platform: { label: 'Sequencer' },
            blockType: { label: 'It blocks' },
            sequencerToken: { label: 'API key of the sequencer', hint: 'It is stored encrypted.' },
            clientId: { label: 'Client at the sequencer (optional)' },
            instanceUrl: { label: 'Instance (EmailBison only)' },
            ...ROUND_TEXTS,
          }}
          action="Add"
          done="The block list is added. Its first fetch begins by itself."
          onDone={close}
          onCancel={close}
        />
      )}
    </DialogButton>
  );
}
