import type { InboundCategory } from './types.ts';

/**
 * The categories that platforms report as events of their own. The event is LEAD_CATEGORY_UPDATED, and the category's id is the
 * platform's name of the event. A booked meeting is "Meeting booked" on every platform.
 */

/** Turns `meeting_booked` into the category "Meeting booked", with the whole `id`. */
export function toStatusCategory(id: string, status: string): InboundCategory {
  const words = status
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .trim();
  return { id: id.toLowerCase(), name: words.charAt(0).toUpperCase() + words.slice(1) };
}

export const AUTO_REPLY = 'Auto reply';
