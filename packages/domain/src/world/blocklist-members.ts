/**
 * Invents the members of a world's block lists. A world says how many entries a list has, not which; the invented ones are the
 * same on every load, so that the rows in the database and the list in the simulated CRM are about the same people.
 */
import type { MaterializedWorld } from './schema.ts';

/** Fields of a list that determine its members. */
export type ListOfMembers = Pick<
  MaterializedWorld['blocklists'][number],
  'id' | 'listName' | 'blockType' | 'syncedCount' | 'pendingCount'
>;

/** Number of members at the CRM of a list without entries. */
const MEMBERS_OF_NEW_LIST = 25;

/** Returns the members of the list at the CRM, addresses or domains: first those that the sequencer has, then the pending ones. */
export function blocklistMembers(list: ListOfMembers): string[] {
  const count = list.syncedCount + list.pendingCount;
  const slug = list.listName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  // A name in another script leaves nothing, and a host name may not begin with a hyphen.
  const name = slug === '' ? String(list.id) : `${slug}-${list.id}`;
  const digits = String(count).length;
  return Array.from({ length: count === 0 ? MEMBERS_OF_NEW_LIST : count }, (_, index) => {
    const number = String(index + 1).padStart(digits, '0');
    return list.blockType === 'DOMAIN'
      ? `company-${number}.${name}.example.org`
      : `person-${number}@${name}.example.org`;
  });
}
