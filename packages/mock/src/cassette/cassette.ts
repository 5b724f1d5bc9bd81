/** Puts a cassette together and writes its text. */
import { sortKeysDeep } from '@svc/domain/values/sort-keys';
import { type Cassette, FORMAT, type Interaction } from './format.ts';
import { keyOf } from './recorded-request.ts';

export interface CassetteOptions {
  readonly ignoreQuery: readonly string[];
  readonly redactEmails: boolean;
}

/** Creates a cassette that is the same for the same calls in any order: sorted by request; equal requests keep their order. */
export function createCassette(interactions: readonly Interaction[], options: CassetteOptions): Cassette {
  const sorted = interactions
    .map((interaction) => ({ interaction, key: keyOf(interaction.request) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ interaction }) => interaction);
  const { ignoreQuery, redactEmails } = options;
  return { format: FORMAT, version: 1, ignoreQuery: ignoreQuery.toSorted(), redactEmails, interactions: sorted };
}

/** Returns the content of a cassette's file. */
export function toFileText(cassette: Cassette): string {
  const interactions = cassette.interactions.map(({ request, answer }) => ({
    request,
    answer: { ...answer, headers: sortKeysDeep(answer.headers) },
  }));
  return `${JSON.stringify({ ...cassette, interactions }, null, 2)}\n`;
}
