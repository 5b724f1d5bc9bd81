/** Pages that show people what the simulated HubSpot has: its contacts, and one contact with its fields and its timeline. */
import { escapeHtml, renderPage } from '@svc/domain/pages/html-page';
import { toPlainText } from '@svc/domain/values/plain-text';
import type { StoredRecord } from './portal.ts';

export interface ShownPortal {
  contacts: readonly StoredRecord[];
  companies: readonly StoredRecord[];
  engagements: readonly StoredRecord[];
  deals: readonly StoredRecord[];
  tasks: readonly StoredRecord[];
  owners: readonly { id: string; email: string }[];
}

/** Where the list of contacts is, on the simulator's address. */
const CONTACTS_PATH = '/__sim/contacts';

/** Contacts on the list: those that were written last. */
const LISTED_MAX = 200;

/** Returns the page of a path; null when there is none. */
export function renderContactPage(path: string, portal: ShownPortal): string | null {
  if (path === CONTACTS_PATH) return renderContacts(portal);
  const id = path.startsWith(`${CONTACTS_PATH}/`) ? path.slice(CONTACTS_PATH.length + 1) : null;
  const contact = portal.contacts.find((record) => record.id === id);
  return contact === undefined ? null : renderContact(contact, portal);
}

function renderContacts(portal: ShownPortal): string {
  const newest = portal.contacts.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, LISTED_MAX);
  const items = newest.map((contact) => {
    const written = timelineOf(contact, portal).length;
    const link = `<a href="${CONTACTS_PATH}/${contact.id}">${escapeHtml(nameOf(contact))}</a>`;
    return `<li>${link}, ${count(written, 'record')} on the timeline</li>`;
  });
  const body =
    items.length === 0
      ? '<p>No event was written yet. Reload this page once a sequencer has sent one.</p>'
      : `<p>${count(portal.contacts.length, 'contact')}, the last one written first.</p><ul>${items.join('\n')}</ul>`;
  return renderPage({ title: 'Contacts of the simulated HubSpot', body });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function renderContact(contact: StoredRecord, portal: ShownPortal): string {
  const company = portal.companies.find(({ id }) => contact.associations.companies?.includes(id) === true);
  const fields = Object.entries(contact.properties)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, name === 'hubspot_owner_id' ? ownerOf(value, portal) : value] as const);
  const deals = portal.deals.filter(({ associations }) => associations.contacts?.includes(contact.id) === true);
  const timeline = timelineOf(contact, portal).map((record) => renderEntry(record, portal));
  const body = [
    `<p><a href="${CONTACTS_PATH}">All contacts</a></p>`,
    '<h2>Fields</h2>',
    renderFields([...fields, ...(company === undefined ? [] : [['company record', nameOf(company)] as const])]),
    ...(deals.length === 0 ? [] : ['<h2>Deals</h2>', renderFields(deals.map(toDealLine))]),
    '<h2>Timeline</h2>',
    timeline.length === 0 ? '<p>Nothing was written.</p>' : timeline.join('\n'),
  ];
  return renderPage({ title: nameOf(contact), body: body.join('\n') });
}

function toDealLine({ properties }: StoredRecord): readonly [string, string] {
  const { dealname = '', pipeline = '', dealstage = '' } = properties;
  return [dealname, `${dealstage} of the pipeline ${pipeline}`];
}

/** Engagements and tasks of a contact, the latest first. */
function timelineOf({ id }: StoredRecord, { engagements, tasks }: ShownPortal): StoredRecord[] {
  return [...engagements, ...tasks]
    .filter(({ associations }) => associations.contacts?.includes(id) === true)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
}

const TITLES: Readonly<Record<string, string>> = {
  emails: 'Email',
  notes: 'Note',
  communications: 'Message',
  calls: 'Call',
  tasks: 'Task',
};
const SUBJECTS = ['hs_email_subject', 'hs_task_subject', 'hs_call_title'] as const;
const BODIES = [
  'hs_email_text',
  'hs_email_html',
  'hs_note_body',
  'hs_task_body',
  'hs_call_body',
  'hs_communication_body',
] as const;

function renderEntry(record: StoredRecord, portal: ShownPortal): string {
  const { objectType, properties } = record;
  const subject = firstOf(SUBJECTS, properties);
  const text = firstOf(BODIES, properties);
  const owner = properties['hubspot_owner_id'];
  const facts = [
    timeOf(record),
    ...(properties['hs_email_direction'] === 'INCOMING_EMAIL' ? ['received'] : []),
    ...(owner === undefined || owner === '' ? [] : [`owner ${ownerOf(owner, portal)}`]),
  ];
  return [
    `<h3>${escapeHtml(TITLES[objectType] ?? objectType)}${subject === null ? '' : `: ${escapeHtml(subject)}`}</h3>`,
    `<p>${escapeHtml(facts.join(', '))}</p>`,
    text === null ? '' : `<pre>${escapeHtml(toPlainText(text))}</pre>`,
  ].join('\n');
}

function renderFields(fields: readonly (readonly [string, string])[]): string {
  return `<ul>${fields.map(([name, value]) => `<li><code>${escapeHtml(name)}</code> ${escapeHtml(value)}</li>`).join('\n')}</ul>`;
}

function firstOf(names: readonly string[], properties: StoredRecord['properties']): string | null {
  return names.map((name) => properties[name]).find((value) => value !== undefined && value !== '') ?? null;
}

function timeOf({ properties, createdAt }: StoredRecord): string {
  return properties['hs_timestamp'] ?? createdAt;
}

function ownerOf(id: string, { owners }: ShownPortal): string {
  return owners.find((owner) => owner.id === id)?.email ?? id;
}

function nameOf({ id, properties }: StoredRecord): string {
  const { firstname = '', lastname = '', email = '', name = '', svc_profile_url: url = '' } = properties;
  const person = [firstname, lastname].filter((part) => part !== '').join(' ');
  const address = email === '' ? url : email;
  if (person !== '' && address !== '') return `${person} (${address})`;
  return [person, address, name].find((text) => text !== '') ?? id;
}
