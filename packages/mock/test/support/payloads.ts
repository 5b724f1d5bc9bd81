/** Payloads that sequencers send. */

/** One event of Smartlead. Events with different numbers are different events. */
export function smartleadEvent(
  eventType: 'EMAIL_SENT' | 'EMAIL_REPLY' | 'EMAIL_OPEN' | 'EMAIL_BOUNCE',
  { number = 1, to = 'maren.holt@fjordfreight.example.org' }: { readonly number?: number; readonly to?: string } = {},
): string {
  return JSON.stringify({
    event_type: eventType,
    event_timestamp: new Date(Date.UTC(2026, 2, 1, 0, number)).toISOString(),
    from_email: 'jonas@northwind.example.com',
    to_email: to,
    to_name: 'Maren Holt',
    subject: 'Route planning',
    campaign_id: 204_511,
    campaign_name: 'Q1 logistics directors',
    stats_id: `stats-${number}`,
    sequence_number: 1,
  });
}

/** A category update for the lead of `smartleadEvent`. */
export function smartleadCategory(name: string, number = 1): string {
  return JSON.stringify({
    event_type: 'LEAD_CATEGORY_UPDATED',
    event_timestamp: new Date(Date.UTC(2026, 2, 2, 0, number)).toISOString(),
    to_email: 'Maren.Holt@fjordfreight.example.org',
    campaign_id: 204_511,
    lead_category: { old_id: '0', old_name: '', new_id: '2', new_name: name },
  });
}
