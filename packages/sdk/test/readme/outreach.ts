import type { Client } from '@svc/sdk';

declare const client: Client;
declare const leads: AsyncIterable<{ email: string; row: number }>;
declare function mark(row: number, result: string): Promise<void>;

// Example of the README:
for await (const { contact, answer, error } of client.contacts.outreachMany(leads)) {
  if (error !== null) await mark(contact.row, error.message);
  else await mark(contact.row, answer.doNotContact.value ? 'blocked' : 'contactable');
}
