/**
 * Finds people that a mapping passes over: a place such as `leads[0].email` or `leads[*].email` gives one event, for the first of
 * them, where each element should be an event of its own.
 */
import { formatMappingPath, type MappingPath, type MappingStep } from '@svc/domain/mappings/mapping-path';
import type { Place } from './compile-mapping.ts';
import { readPath, type PathRoots } from './read-path.ts';

/** Several addresses of one lead, such as `lead.emails[*]`. */
const OF_ONE_LEAD = /mail|address|profile|url/i;

/** @returns sentences without values of the body; none when the places that give the lead see only one */
export function findUnreadLeads(
  places: readonly Place[],
  roots: PathRoots,
  parse: (value: unknown) => string | null,
): string[] {
  for (const { paths } of places) {
    const [path, ...others] = paths;
    if (path === undefined || others.length > 0) continue;
    const list = path.from === 'header' ? -1 : path.steps.findIndex(({ kind }) => kind !== 'key');
    const isRead = readPath(path, roots).some((value) => parse(value) !== null);
    if (path.from === 'header' || list < 0 || isOfOneLead(path.steps[list - 1])) {
      if (isRead) return [];
      continue;
    }
    const count = new Set(
      readPath(toEach(path), roots)
        .map(parse)
        .filter((lead) => lead !== null),
    ).size;
    if (count > 1) {
      const name = `${path.from === 'body' ? '$.' : ''}${formatMappingPath(path.steps.slice(0, list))}`;
      return [
        `Only 1 of ${count} leads in ${name} was read: set items to ${JSON.stringify(name)}, so that each of them is an event.`,
      ];
    }
    if (isRead) return [];
  }
  return [];
}

function isOfOneLead(step: MappingStep | undefined): boolean {
  return step?.kind === 'key' && OF_ONE_LEAD.test(step.key);
}

/** Returns the path to all elements that it passes over. */
function toEach(path: Exclude<MappingPath, { from: 'header' }>): MappingPath {
  return { from: path.from, steps: path.steps.map((step) => (step.kind === 'index' ? { kind: 'each' } : step)) };
}
