import type { InboundEvent } from '@svc/sequencers';
import { describe, expect, test } from 'vitest';
import { listStoredReleases, readStoredRows } from '../../test/support/stored-rows.ts';
import { readCrmError, readRunCounts, readStoredEvent, StoredJsonError, toStoredEvent } from './stored-json.ts';

const event: InboundEvent = {
  eventKey: 'key',
  eventType: 'EMAIL_REPLY',
  toEmail: 'lead@example.org',
  occurredAt: new Date('2026-03-31T12:00:00.000Z'),
  contact: {
    email: 'lead@example.org',
    profileUrl: null,
    firstName: 'Lea',
    lastName: null,
    companyName: null,
    companyDomain: 'example.org',
    jobTitle: null,
    phone: null,
    custom: { Segment: 'A', Seats: 12, 'Has website': true, constructor: 'x' },
    tags: ['Q1'],
    leadId: '77',
    leadUrl: 'https://sequencer.example.com/leads/77',
  },
  fromEmail: 'rep@example.com',
  replySender: { email: 'colleague@example.org', name: null },
  campaign: { id: '7', name: 'Spring' },
  subject: 'Re: hello',
  bodyHtml: null,
  bodyText: 'Yes',
  messageId: '<reply@example.org>',
  answeredMessageId: '<sent@example.com>',
  category: { id: null, name: 'Interested' },
  linkUrls: ['https://example.org/'],
  sequenceNumber: 2,
};
const withoutForm = ({ form: _form, ...rest }: { form?: unknown }) => rest;
const stored = (given: object) => JSON.parse(JSON.stringify(given));

describe('stored events', () => {
  test('are read as they were stored', () => {
    expect(readStoredEvent(stored(toStoredEvent(event)))).toEqual(event);
    const blank = { ...event, occurredAt: null, category: null };
    expect(readStoredEvent(stored(toStoredEvent(blank)))).toEqual(blank);
  });

  test('of the first release lack the id of the answered mail, which is then unknown', () => {
    const { answeredMessageId: _lacking, ...first } = event;
    expect(readStoredEvent(stored(first))).toEqual({ ...event, answeredMessageId: null });
  });

  test('of the releases before forms had numbers are read', () => {
    expect(readStoredEvent(stored(event))).toEqual(event);
  });

  test('of releases that did not know who wrote a reply were written by the lead', () => {
    const { replySender: _lacking, ...earlier } = event;
    expect(readStoredEvent({ ...stored(earlier), form: 2 })).toEqual({ ...event, replySender: null });
  });

  test('of releases that carried no custom fields, tags, id and link of the lead have none', () => {
    const { custom: _custom, tags: _tags, leadId: _id, leadUrl: _url, ...contact } = event.contact;
    const read = readStoredEvent(stored({ ...toStoredEvent(event), contact }));
    expect(read?.contact).toEqual({ ...contact, custom: {}, tags: [], leadId: null, leadUrl: null });
  });

  test('of a later release are read without the fields that this one does not know', () => {
    expect(readStoredEvent(stored({ ...toStoredEvent(event), form: 99, mood: 'happy' }))).toEqual(event);
  });

  test.each(listStoredReleases())('of %s are read, each with every field', (release) => {
    const rows = readStoredRows(release);
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      const read = readStoredEvent(row.event);
      expect(Object.keys(read ?? {}).toSorted()).toEqual(Object.keys(event).toSorted());
      expect(Object.keys(read?.contact ?? {}).toSorted()).toEqual(Object.keys(event.contact).toSorted());
      expect(JSON.parse(JSON.stringify(read))).toMatchObject(withoutForm(row.event));
    }
  });

  test('have no content after it was deleted with the logs', () => {
    expect(readStoredEvent({})).toBeNull();
  });

  test('in no known form are refused with the place, and nothing of the content', () => {
    const broken = stored({ ...toStoredEvent(event), contact: { ...event.contact, phone: ['secret'] } });
    expect(() => readStoredEvent(broken)).toThrow(StoredJsonError);
    expect(() => readStoredEvent(broken)).toThrow(
      'The stored event is in no form that this release knows; look at: contact.phone.',
    );
  });
});

test('the counts of a run begin at 0, also those that an earlier release did not count', () => {
  const { relayMails: _lacking, ...earlier } = { ...readRunCounts({}), known: 3 };
  expect(readRunCounts(earlier)).toEqual({ ...earlier, relayMails: 0 });
});

test("the stored error of a CRM keeps the CRM's own details", () => {
  const error = { code: 'unavailable', message: 'No answer', httpStatus: null, category: 'X' };
  expect(readCrmError(error)).toEqual(error);
});
