import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize } from './index.ts';

const HASH = 'a'.repeat(64);

function eventOf(body: unknown, bodyHash = HASH): InboundEvent {
  const result = normalize({ platform: 'lemlist', mapping: null }, { headers: {}, body, bodyHash });
  if (result.outcome !== 'events' || result.events[0] === undefined)
    throw new Error(`no event: ${JSON.stringify(result)}`);
  return result.events[0];
}

const opened = { _id: 'act_1', type: 'emailsOpened', createdAt: '2026-03-01T10:00:00.000Z', email: 'kim@example.org' };

describe('event key', () => {
  test('a retry and a second webhook have the key of the first, even if other fields changed', () => {
    const again = {
      ...opened,
      isFirst: false,
      campaignName: 'renamed',
      email: undefined,
      leadEmail: 'kim@example.org',
    };
    expect(eventOf(again, 'b'.repeat(64)).eventKey).toBe(eventOf(opened).eventKey);
  });

  test.each(['_id', 'type'])('another %s is another event', (name) => {
    const other = { ...opened, [name]: name === 'type' ? 'emailsClicked' : 'act_2' };
    expect(eventOf(other).eventKey).not.toBe(eventOf(opened).eventKey);
  });

  test('one activity under two names of one category is one event', () => {
    const keyOf = (type: string) => eventOf({ ...opened, type }).eventKey;
    expect(keyOf('emailsInterested')).toBe(keyOf('interested'));
  });

  test('without an id, lead, time and campaign decide; without a time too, the body hash', () => {
    const bare = { ...opened, _id: undefined };
    expect(eventOf(bare, 'b'.repeat(64)).eventKey).toBe(eventOf(bare).eventKey);
    expect(eventOf({ ...bare, createdAt: '2026-03-01T10:00:01.000Z' }).eventKey).not.toBe(eventOf(bare).eventKey);
    const timeless = { ...bare, createdAt: undefined };
    expect(eventOf(timeless, 'b'.repeat(64)).eventKey).not.toBe(eventOf(timeless).eventKey);
  });
});

test('the secret of the webhook is in no event', () => {
  for (const type of ['emailsReplied', 'emailsBounced', 'linkedinReplied', 'interested', 'somethingNew']) {
    const body = { ...opened, type, secret: 'shared-secret-1', text: '<p>Yes</p>', errorMessage: 'unknown user' };
    expect(JSON.stringify(eventOf(body))).not.toContain('shared-secret-1');
  }
});

test.each([
  ['interested', 'Interested'],
  ['notInterested', 'Not interested'],
  ['emailsNotInterested', 'Not interested'],
  ['linkedinInterested', 'Interested'],
  ['aircallNotInterested', 'Not interested'],
  ['apiInterested', 'Interested'],
  ['manualInterested', 'Interested'],
])('%s is the category %s', (type, name) => {
  expect(eventOf({ ...opened, type })).toMatchObject({ eventType: 'LEAD_CATEGORY_UPDATED', category: { name } });
});

test.each(['contacted', 'hooked', 'attracted', 'warmed'])('the group %s is ignored', (type) => {
  expect(
    normalize({ platform: 'lemlist', mapping: null }, { headers: {}, body: { ...opened, type }, bodyHash: HASH })
      .outcome,
  ).toBe('ignored');
});

describe('opens and clicks of a bot', () => {
  test.each([
    ['emailsOpened', 'EMAIL_OPEN', 'EMAIL_OPEN_BY_BOT'],
    ['emailsClicked', 'EMAIL_LINK_CLICK', 'EMAIL_LINK_CLICK_BY_BOT'],
  ])('%s with bot: true is no touch of the lead', (type, ofPerson, ofBot) => {
    expect(eventOf({ ...opened, type, bot: true }).eventType).toBe(ofBot);
    for (const bot of [false, 'true', null, undefined])
      expect(eventOf({ ...opened, type, bot }).eventType).toBe(ofPerson);
  });

  test('the mark does not make another event of a post that was read before', () => {
    expect(eventOf({ ...opened, bot: true }).eventKey).toBe(eventOf(opened).eventKey);
  });

  test('a reply stays a reply', () => {
    expect(eventOf({ ...opened, type: 'emailsReplied', bot: true }).eventType).toBe('EMAIL_REPLY');
  });
});

describe('fields of the lead', () => {
  const reply = {
    _id: 'act_9',
    type: 'emailsReplied',
    name: 'Spring bakeries',
    leadEmail: 'kim@example.org',
    leadFirstName: 'Kim',
    leadPhone: '+47 21 00 00 00',
    occupation: 'Head baker',
    messagePreview: 'Yes, on Tuesday.',
    'Company website': 'https://www.krustundkorn.example.org/',
  };

  test('the campaign’s name, the preview of a reply, phone, occupation and custom variables are read', () => {
    expect(eventOf(reply)).toMatchObject({
      campaign: { name: 'Spring bakeries' },
      bodyText: 'Yes, on Tuesday.',
      contact: {
        firstName: 'Kim',
        phone: '+47 21 00 00 00',
        jobTitle: 'Head baker',
        companyDomain: 'krustundkorn.example.org',
      },
    });
  });

  test('variables are also read from the lead, and the whole text comes before its preview', () => {
    const lead = { variables: { jobTitle: 'Owner', linkedinUrl: 'https://www.linkedin.com/in/kim-berg' } };
    const body = { ...reply, occupation: undefined, campaignName: 'Autumn', text: 'Yes, on Tuesday. Kim', lead };
    expect(eventOf(body)).toMatchObject({
      campaign: { name: 'Autumn' },
      bodyText: 'Yes, on Tuesday. Kim',
      contact: { jobTitle: 'Owner', profileUrl: 'https://www.linkedin.com/in/kim-berg' },
    });
  });
});

test.each([
  { linkedinUrl: 'https://www.linkedin.com/sales/lead/ACwAAA,NAME_SEARCH,x1' },
  { linkedinUrlSalesNav: 'https://www.linkedin.com/sales/lead/ACwAAA' },
])('a post with only a link of Sales Navigator says what is missing: %j', (link) => {
  const body = { _id: 'act_3', type: 'linkedinReplied', ...link };
  const result = normalize({ platform: 'lemlist', mapping: null }, { headers: {}, body, bodyHash: HASH });
  expect(result).toMatchObject({
    outcome: 'unparsed',
    reason: expect.stringContaining('names no public profile: give the lead an email or a linkedinUrl at lemlist'),
  });
});

test('a booked meeting is the category "Meeting booked"', () => {
  expect(eventOf({ ...opened, type: 'meetingBooked' })).toMatchObject({
    eventType: 'LEAD_CATEGORY_UPDATED',
    category: { id: 'meeting_booked', name: 'Meeting booked' },
  });
});
