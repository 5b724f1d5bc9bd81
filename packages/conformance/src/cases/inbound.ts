/** Posts events to the inbound URL of a source, as a sequencer does. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Api } from '../harness/suite.ts';

const PAYLOADS = new URL('../../../../fixtures/payloads/', import.meta.url);

async function readPayload(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(new URL(name, PAYLOADS), 'utf8'));
}

const OPENED = await readPayload('smartlead/email-open.json');
const REPLIED = await readPayload('smartlead/email-reply.json');
const CATEGORIZED = await readPayload('smartlead/lead-category-updated.json');
const MESSAGE_REPLIED = await readPayload('heyreach/every-message-reply-received.json');
const INSTANTLY_REPLIED = await readPayload('instantly/reply-received.json');

/** A source of the main account on HUBSPOT, and one that is failing in the initial world. */
export const SOURCE = { id: 1, connectionId: 1, crm: 'HUBSPOT', platform: 'smartlead' } as const;
export const FAILING_SOURCE = { id: 4, connectionId: 1, crm: 'HUBSPOT', platform: 'smartlead' } as const;

let events = 0;

/** Creates a new event. Default: an unknown contact opens a mail. */
export function newEvent(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  events += 1;
  const lead = `lead-${events}@example.org`;
  return { ...OPENED, stats_id: `suite-${events}`, to_email: lead, sl_lead_email: lead, ...changes };
}

/** Creates the reply of a new lead. */
export function newReply(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const event = newEvent();
  const leadCorrespondence = { targetLeadEmail: event['to_email'], replyReceivedFrom: event['to_email'] };
  return { ...REPLIED, ...event, leadCorrespondence, event_type: 'EMAIL_REPLY', ...changes };
}

/** Creates the event that a lead was put into a category. */
export function newCategory(lead: string): Record<string, unknown> {
  events += 1;
  const { lead_data: _data, ...rest } = CATEGORIZED;
  return { ...rest, stats_id: `suite-${events}`, to_email: lead, sl_lead_email: lead, lead_email: lead, to: lead };
}

/** Creates a reply in Instantly's format. */
export function newInstantlyReply(): Record<string, unknown> {
  events += 1;
  return { ...INSTANTLY_REPLIED, email_id: `suite-${events}`, lead_email: `lead-${events}@example.org` };
}

/** Sources of HeyReach on connections whose CRM keeps profile URLs, and whose CRM does not. */
export const PROFILE_SOURCES = { kept: 3, notKept: 8 } as const;

/** Creates the reply of a lead on LinkedIn, in HeyReach's format. */
export function newMessageReply(lead: Readonly<Record<string, unknown>>): Record<string, unknown> {
  events += 1;
  const creation_time = new Date(Date.UTC(2026, 0, 1) + events * 1_000).toISOString();
  const recent_messages = [{ creation_time, message: 'Tell me more.', is_reply: true }];
  return { ...MESSAGE_REPLIED, lead: { full_name: 'Ada Quist', ...lead }, recent_messages };
}

/** Reads the inbound URL of a source. */
export async function inboundUrl(api: Api, sourceId: number, key?: string): Promise<string> {
  const { sources } = await api.read('listSources', key === undefined ? {} : { key });
  const source = sources.find(({ id }: { id: number }) => id === sourceId);
  return source.url;
}

/** Posts events, and processes each before the next. */
export async function send(
  api: Api,
  sourceId: number,
  bodies: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const url = await inboundUrl(api, sourceId);
  for (const body of bodies) {
    const response = await api.fetch(url, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await api.advance(1);
  }
}
