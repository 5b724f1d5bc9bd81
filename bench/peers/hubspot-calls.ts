/** The three calls that a pipeline by hand makes for an event, as HubSpot's guides show them. */

/** What the pipeline reads of a post of Smartlead. */
export type Reply = {
  readonly stats_id: string;
  readonly sl_lead_email: string;
  readonly to_name: string;
  readonly from_email: string;
  readonly subject: string;
  readonly time_replied: string;
  readonly reply_message: { readonly html: string; readonly text: string };
};

export type Hubspot = { readonly url: string; readonly token: string };

/** The default association of an email with a contact. */
const EMAIL_TO_CONTACT = 198;

/** @throws Error when HubSpot refuses a call, which is then made again with the whole job */
export async function writeReply(hubspot: Hubspot, reply: Reply): Promise<{ contactId: string; emailId: string }> {
  const email = reply.sl_lead_email.toLowerCase();
  const found = await post(hubspot, 'contacts/search', {
    filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: email }] }],
    properties: ['firstname', 'lastname'],
    limit: 1,
  });
  const [firstname = '', ...rest] = reply.to_name.split(' ');
  const upserted = await post(hubspot, 'contacts/batch/upsert', {
    inputs: [
      {
        idProperty: 'email',
        id: email,
        // A name that somebody has corrected in HubSpot stays.
        properties: found.total === 0 ? { firstname, lastname: rest.join(' ') } : {},
      },
    ],
  });
  const contactId = upserted.results[0].id;
  const created = await post(hubspot, 'emails', {
    properties: {
      hs_timestamp: reply.time_replied,
      hs_email_direction: 'INCOMING_EMAIL',
      hs_email_status: 'SENT',
      hs_email_subject: reply.subject,
      hs_email_html: reply.reply_message.html,
      hs_email_text: reply.reply_message.text,
      hs_email_headers: JSON.stringify({ from: { email }, to: [{ email: reply.from_email }], cc: [], bcc: [] }),
    },
    associations: [
      {
        to: { id: contactId },
        types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: EMAIL_TO_CONTACT }],
      },
    ],
  });
  return { contactId, emailId: created.id };
}

/** The parts of HubSpot's answers that the pipeline uses. */
type Answer = { readonly id: string; readonly total: number; readonly results: readonly [{ readonly id: string }] };

async function post({ url, token }: Hubspot, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${url}/crm/v3/objects/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`HubSpot answered ${response.status} to ${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
