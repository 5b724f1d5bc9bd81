import type { AdminResult } from '../../../data/operations.ts';
import { labelOf } from '../../../forms/label.ts';

type Proposal = Pick<AdminResult<'sources/map'>, 'places' | 'eventNames' | 'missing'>;

/** Says what of a proposal a person must look at: places that are not sure, event names that say too little, and what is missing. */
export function describeProposedPlaces({ places, eventNames, missing }: Proposal): string[] {
  const unsure = places.filter(({ sureness }) => sureness === 'check');
  const unknown = eventNames.filter(({ type }) => type === null).map(({ name }) => name);
  return [
    ...unsure.map(
      ({ field, when, path }) =>
        `${labelOf(field)}${when === null ? '' : ` of ${when}`} may be elsewhere than at ${path}: look at it.`,
    ),
    ...(unknown.length === 0 ? [] : [`Choose what these event names are: ${unknown.join(', ')}.`]),
    ...missing.map((problem) => `${problem}.`),
  ];
}
