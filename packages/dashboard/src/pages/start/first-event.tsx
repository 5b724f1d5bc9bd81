import { Link } from 'wouter';
import { type AdminResult, useChange, useOperation } from '../../data/operations.ts';
import { useIsAdmin } from '../../data/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Notice } from '../../parts/page.tsx';
import { Status, Tag, toneOf } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { StepRow } from './step.tsx';

type Source = AdminResult<'sources/list'>['sources'][number];
type Receipt = AdminResult<'requests/list'>['requests'][number];

/** Waits until the source has received something, then shows what became of it. */
export function FirstEvent({
  accountId,
  source,
  receipt,
}: {
  accountId: number;
  source: Source;
  receipt: Receipt | undefined;
}) {
  if (receipt !== undefined) return <Outcome accountId={accountId} source={source} receipt={receipt} />;
  return (
    <>
      <Status tone="waiting">Waiting for your first event …</Status>
      <p>Send a test from {source.platform}, or wait until it posts. This page notices by itself.</p>
      <Sample source={source} />
    </>
  );
}

/** A reply of a person who does not exist, as Smartlead posts it. */
const SAMPLE = {
  event_type: 'EMAIL_REPLY',
  to_email: 'first.event@example.org',
  to_name: 'First Event',
  subject: 'A sample of the set-up',
  reply_body: 'Yes, let us talk.',
};

/** Posts a sample where the browser may: the address has the origin of the page, and needs no secret. */
function Sample({ source }: { source: Source }) {
  const isAdmin = useIsAdmin();
  const post = useChange(
    async () => {
      const body = JSON.stringify({ ...SAMPLE, event_timestamp: new Date().toISOString() });
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(source.url, { method: 'POST', body, headers, credentials: 'omit' });
      if (!response.ok) throw new Error(`The source answered ${response.status}.`);
    },
    { done: 'The sample is posted.' },
  );
  const canPost =
    isAdmin &&
    source.platform === 'smartlead' &&
    source.authenticity.secret === 'off' &&
    new URL(source.url).origin === location.origin;
  if (!canPost) return null;
  return (
    <StepRow>
      <Button isSmall isBusy={post.isPending} onClick={() => post.mutate(undefined)}>
        Post a sample
      </Button>
      <span>It writes a reply of {SAMPLE.to_email} to your CRM.</span>
    </StepRow>
  );
}

function Outcome({ accountId, source, receipt }: { accountId: number; source: Source; receipt: Receipt }) {
  const details = useOperation('requests/show', { id: receipt.id });
  const events = details.data?.request.events ?? [];
  return (
    <>
      <StepRow>
        <span>
          Received <Time at={receipt.createdAt} />
        </span>
        <Link href={`/accounts/${accountId}/requests/${receipt.id}`}>Request {receipt.id}</Link>
      </StepRow>
      {receipt.outcome === 'unparsed' && (
        <Notice
          tone="warn"
          action={
            <ButtonLink isSmall href={`/accounts/${accountId}/sources/${source.id}/mapping?request=${receipt.id}`}>
              Map it
            </ButtonLink>
          }
        >
          It was not understood{receipt.reason === null ? '' : `: ${receipt.reason}`}. A mapping says how such payloads
          are read.
        </Notice>
      )}
      {receipt.outcome === 'ignored' && (
        <Notice tone="warn">It was ignored{receipt.reason === null ? '' : `: ${receipt.reason}`}.</Notice>
      )}
      {events.map((event) => (
        <StepRow key={event.id}>
          <Tag>{event.eventType}</Tag>
          <span>{event.toEmail}</span>
          <Status tone={toneOf(event.syncStatus ?? 'waiting')}>
            {event.syncStatus === null ? 'on its way to the CRM' : describeSync(event.syncStatus)}
          </Status>
        </StepRow>
      ))}
    </>
  );
}

function describeSync(status: string): string {
  if (status === 'success') return 'written to the CRM';
  return status === 'warning' ? 'written with a warning' : `not written (${status})`;
}
