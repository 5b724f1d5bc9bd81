/**
 * Payloads as vendors without an adapter publish them: keys and their nesting are theirs, people, texts and ids are invented. Each
 * entry names its page, as it was read on 2026-11-26. Nobody here has received posts of these platforms.
 */
import type { NormalizeInput } from '../src/events/types.ts';

export interface PublishedPlatform {
  readonly platform: string;
  /** Where the shape is published, and what of it is not. */
  readonly source: string;
  readonly samples: readonly (Pick<NormalizeInput, 'body'> & { readonly headers?: NormalizeInput['headers'] })[];
}

const lead = 'maren.holt@fjordfreight.example.org';
const rep = 'frank@northwind.example.com';
const AT = '2026-03-01T10:00:00Z';

const woodpecker = (method: string, more: object = {}) => [
  {
    method,
    prospect: {
      id: 1234567890,
      email: lead,
      first_name: 'Maren',
      last_name: 'Holt',
      company: 'Fjord Freight',
      website: 'https://fjordfreight.example.org',
      linkedin_url: 'https://www.linkedin.com/in/maren-holt',
      tags: '#FREIGHT',
      title: 'Head of Operations',
      phone: '+47 21 00 00 00',
      snippet1: 'ships to Bergen',
      snippet_labels: { 'my snippet label': 'ships to Bergen' },
      last_contacted: '2026-02-27T14:32:34+0100',
      status: 'REPLIED',
      interested: 'INTERESTED',
      campaign_id: 123456,
      campaign_name: 'Freight in Norway',
      campaign_email: rep,
      campaign_emails: [rep, 'lou@northwind.example.com'],
      step: 2,
      step_type: 'EMAIL',
    },
    ...more,
    timestamp: '2026-03-01T11:00:00+0100',
    firm_id: 45678,
  },
];

const salesforge = (type: string, eventTime: string) => ({
  webhookInfo: { id: 'wh_or388zo2xuqf02k7sigl1', eventTime, type },
  sequenceEmail: {
    emailId: 'e9168fc8-ab8a-4fc4-bc0b-22424faad142@mail.example.com',
    fromEmail: rep,
    fromName: 'Frank Moe',
    toEmail: lead,
    toName: 'Maren Holt',
    subject: 'More freight in Q4?',
    content: { text: 'Hi Maren', html: '<p>Hi Maren</p>' },
  },
  workspace: { id: 'wks_b1fln2njl9xtoh1miu7zx', name: 'Northwind', slug: 'northwind' },
  contact: { id: 'lead_mmxtxqo4920f4', firstName: 'Maren', lastName: 'Holt', email: lead, company: 'Fjord Freight' },
  sequence: { id: 'seq_verfvuynadkes5', name: 'Freight' },
  mailbox: { id: 'mbox_07ohxomu88jj7c', firstName: 'Frank', lastName: 'Moe', email: rep },
  emailSentData: { step: 1, ai_generated: false },
});

const close = (direction: string, status: string, id: string, sender: string, to: string) => ({
  subscription_id: 'whsub_1BRdi3uFAlDjS6',
  event: {
    id: `ev_${id}`,
    date_created: '2026-03-01T10:00:00.395000',
    date_updated: '2026-03-01T10:00:00.395000',
    action: 'created',
    object_type: 'activity.email',
    object_id: `acti_${id}`,
    lead_id: 'lead_ZKNF8a7VXz2Zkl',
    organization_id: 'orga_XbVPx5fFbKlYTz9',
    user_id: 'user_N6KhMpzHRCYQHd',
    changed_fields: [],
    previous_data: {},
    data: {
      id: `acti_${id}`,
      direction,
      status,
      sender,
      to: [to],
      cc: [],
      bcc: [],
      subject: 'Freight',
      body_text: 'Hello',
      date_created: '2026-03-01T10:00:00.395000+00:00',
      contact_id: 'cont_BwlwYQkIP6Aoii',
      lead_id: 'lead_ZKNF8a7VXz2Zkl',
      user_name: 'Frank Moe',
    },
  },
});

const replyify = (event: string, data: object) => ({ event, timestamp: AT, workspace_id: 'ws-abc123', data });

const reachinbox = (event: string, timestamp: string) => ({
  email_id: 1,
  lead_id: 1,
  lead_email: lead,
  email_account: rep,
  step_number: 1,
  message_id: '<message-1@mail.example.com>',
  timestamp,
  campaign_id: 1,
  campaign_name: 'Freight',
  event,
  user_webhook_id: '1',
  lead_first_name: 'Maren',
  lead_last_name: 'Holt',
  email_sent_body: 'Hi Maren',
  email_replied_body: 'Sounds good',
});

export const PUBLISHED_PLATFORMS: readonly PublishedPlatform[] = [
  {
    platform: 'pipl',
    source:
      'help.pipl.ai/en/articles/9219846-understanding-webhooks-in-pipl-ai, the beginning of its sample; the keys of addresses and times after it are those that public handlers read: on a reply, from_email is the lead and email_account_name the mailbox',
    samples: [
      {
        body: {
          webhook_id: '662218b9cf6b797039a56360',
          webhook_name: 'webhook test',
          webhook_event: 'ALL_EMAIL_REPLIES',
          org_id: '65099a0dd96fae8ab61130bf',
          workspace_id: '65099a0dd96fae8ab61130c0',
          email_account_id: '65d455a75570b3c6fc5b61ae',
          source_thread_id: null,
          source_message_id: '<CACk81oUWngN95@mail.example.org>',
          thread_id: '662219342fbcf7bce6b888e9',
          source_label_ids: ['INBOX'],
          from_email: lead,
          to_email: rep,
          email_account_name: rep,
          modified_at: AT,
        },
      },
    ],
  },
  {
    platform: 'zoho-campaigns',
    source: 'www.zoho.com/campaigns/help/emailapi/events/opens.html; the list in `data` has one element per event',
    samples: [
      {
        body: {
          webhook_name: 'Open webhook',
          webhook_id: '1314909000000063004',
          action: 'email_open',
          actionType: 'email_open',
          action_by: 'contact',
          transmission_name: 'Freight',
          transmission_id: 1314909000000144,
          zuid: 81,
          data: [
            { action_time: 1772359200000, contact_id: 131490900014410, contact_email: lead },
            { action_time: 1772359260000, contact_id: 131490900014411, contact_email: 'nils@birkenau.example.org' },
          ],
        },
      },
    ],
  },
  {
    platform: 'salesforge',
    source: 'help.salesforge.ai/en/articles/8680365-webhooks',
    samples: [
      { body: salesforge('email_sent', '2026-03-01T12:03:31+02:00') },
      { body: salesforge('email_opened', '2026-03-01T13:00:38+02:00') },
    ],
  },
  {
    platform: 'kakiyo',
    source:
      'docs.kakiyo.com/webhooks; it has no address and no profile of the prospect, so its events cannot be written without a look-up',
    samples: [
      {
        body: {
          event: 'linkedin.message.received',
          teamId: 'team_12345abcde',
          timestamp: AT,
          data: {
            agentId: 'agent_67890',
            campaignId: 'campaign_12345',
            chatId: 'chat_54321',
            prospectId: 'prospect_98765',
            message: 'Thanks for reaching out!',
            timestamp: AT,
          },
        },
      },
    ],
  },
  {
    platform: 'replyify',
    source:
      'docs.replyify.ai/api-reference/webhooks/events; its sample of reply.sent names the lead as the sender, too',
    samples: [
      {
        headers: { 'x-replyify-event': 'reply.received' },
        body: replyify('reply.received', {
          reply_id: 'reply-xyz789',
          from_email: lead,
          from_name: 'Maren Holt',
          to_email: rep,
          subject: 'Re: Freight',
          body_text: 'I would like to learn more',
          client_id: 'client-456',
          connection_id: 'conn-789',
          contact_id: 'contact-012',
          received_at: AT,
        }),
      },
    ],
  },
  {
    platform: 'close',
    source:
      'developer.close.com/api/resources/webhooks (the envelope) and developer.close.com/resources/activities/email (the email activity)',
    samples: [
      { body: close('outgoing', 'sent', '2sYKRjcrA79yKxi3S4Crd7', `"Frank Moe" <${rep}>`, lead) },
      { body: close('incoming', 'inbox', '7H4sjNso7FyBFaeR3RXi5P', `"Maren Holt" <${lead}>`, rep) },
    ],
  },
  {
    platform: 'woodpecker',
    source: 'developers.woodpecker.co/docs/webhooks/prospect-replied; the body is a list of up to 100 events',
    samples: [
      {
        body: woodpecker('prospect_replied', {
          email: {
            id: 191867492,
            mail_id: 123321,
            subject: 'Re: Freight',
            sender: 'Maren from Fjord Freight',
            email: lead,
            date: '2026-03-01T10:47:40+0100',
            message: 'Sounds good',
          },
        }),
      },
      { body: woodpecker('email_opened') },
    ],
  },
  {
    platform: 'reachinbox',
    source: 'docs.reachinbox.ai/webhooks',
    samples: [
      { body: reachinbox('EMAIL_SENT', AT) },
      { body: reachinbox('EMAIL_OPENED', '2026-03-01T11:00:00Z') },
      { body: reachinbox('EMAIL_OPENED', '2026-03-01T12:00:00Z') },
    ],
  },
];
