import type { ContactOutreachResponse } from '@svc/sdk';
import type { Paint } from '../../terminal/colors.ts';
import { formatCount } from '../../terminal/progress.ts';
import { type RecordLine, renderRecord } from '../../format/record.ts';
import { toMinute } from '../../format/times.ts';
import { type Column, renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';

type EventTypeRow = ContactOutreachResponse['eventTypes'][number];
type PlatformRow = ContactOutreachResponse['platforms'][number];

/** Renders whether the contact may be contacted, the last touch, and the events. */
export function renderOutreach(outreach: ContactOutreachResponse, width: number, paint: Paint): string {
  const { doNotContact, eventTypes, platforms } = outreach;
  const reasons = doNotContact.reasons.map(sanitize).join(', ');
  const verdict = doNotContact.value
    ? paint('bad', `DO NOT CONTACT${reasons === '' ? '' : `: ${reasons}`}`)
    : paint('good', 'OK to contact: no bounce or unsubscribe on record');
  const parts = [`${verdict}\n`, renderRecord(cardLines(outreach), paint)];
  if (eventTypes.length > 0) {
    const newestFirst = eventTypes.toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
    parts.push(renderTable(newestFirst, EVENT_TYPE_COLUMNS, { width, paint }));
  }
  if (platforms.length > 0) parts.push(renderTable(platforms, PLATFORM_COLUMNS, { width, paint }));
  return parts.join('\n');
}

function cardLines({ query, found, summary, outcomes }: ContactOutreachResponse): RecordLine[] {
  const contact = [query.email, ...query.profileUrls].filter((identity) => identity !== null && identity !== '');
  const lines: RecordLine[] = [{ label: 'Contact', text: contact.join(', ') }];
  if (!found) return [...lines, { label: 'Known', text: 'no: nothing was sent to this contact and nothing came back' }];
  lines.push({ label: 'Last touch', text: describeLastTouch(summary) });
  if (summary.firstTouchAt) lines.push({ label: 'First touch', text: toMinute(summary.firstTouchAt) });
  const ways = [
    summary.everEmailed && 'emailed',
    summary.everOpened && 'opened',
    summary.everCalled && 'called',
    summary.everSocialTouched && 'on social networks',
  ].filter((way) => way !== false);
  lines.push({ label: 'Events', text: [formatCount(summary.totalEvents), ...ways].join(', ') });
  if (outcomes.replied) lines.push({ label: 'Replied', text: formatInstant(outcomes.lastReplyAt), tone: 'good' });
  if (outcomes.bounced) lines.push({ label: 'Bounced', text: 'yes', tone: 'bad' });
  if (outcomes.unsubscribed) lines.push({ label: 'Unsubscribed', text: 'yes', tone: 'bad' });
  if (outcomes.lastCategoryName) {
    const at = outcomes.lastCategoryAt ? `, ${toMinute(outcomes.lastCategoryAt)}` : '';
    lines.push({ label: 'Category', text: `${outcomes.lastCategoryName}${at}` });
  }
  return lines;
}

function describeLastTouch(summary: ContactOutreachResponse['summary']): string {
  const { lastTouchAt, daysSinceLastTouch: days, lastEventType, lastPlatform } = summary;
  if (!lastTouchAt) return 'none recorded';
  const age = days === null ? '' : ` (${days === 0 ? 'within a day' : days === 1 ? '1 day ago' : `${days} days ago`})`;
  const what = lastEventType ? `: ${lastEventType}${lastPlatform ? ` by ${lastPlatform}` : ''}` : '';
  return `${toMinute(lastTouchAt)}${age}${what}`;
}

function formatInstant(instant: string | null | undefined): string {
  return instant ? toMinute(instant) : 'yes';
}

const EVENT_TYPE_COLUMNS: readonly Column<EventTypeRow>[] = [
  { header: 'EVENT', cell: ({ eventType }) => ({ text: eventType }), canShrink: true },
  { header: 'COUNT', cell: ({ count }) => ({ text: formatCount(count) }) },
  { header: 'FIRST', cell: ({ firstAt }) => ({ text: formatInstant(firstAt) }) },
  { header: 'LAST', cell: ({ lastAt }) => ({ text: formatInstant(lastAt) }) },
];

const PLATFORM_COLUMNS: readonly Column<PlatformRow>[] = [
  { header: 'PLATFORM', cell: ({ platform }) => ({ text: platform }), canShrink: true },
  { header: 'COUNT', cell: ({ count }) => ({ text: formatCount(count) }) },
  { header: 'LAST', cell: ({ lastAt }) => ({ text: formatInstant(lastAt) }) },
  { header: 'LAST EVENT', cell: ({ lastEventType }) => ({ text: lastEventType }), canShrink: true },
];
