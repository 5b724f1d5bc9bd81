/** An operation as CONTRIBUTING describes adding one: its declaration in a noun, and its work. */
import { declare, flagged, noun, one } from '@svc/operations/declared/declare';
import { count, oneOf, secret } from '@svc/operations/declared/fields';
import { implement } from '@svc/operations/implemented/operation';
import * as z from 'zod';

const windToyDeclaration = declare({
  name: 'toys/wind',
  description: 'wind a toy up',
  details: 'It stays wound.',
  example: '3 --turns 2',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('toy'),
    turns: count(9).meta(flagged('--turns <number>', 'how often')),
    key: secret.optional(),
  }),
  result: { turns: one<number>() },
  print: ({ turns }, { id }) => `Toy ${id} is wound up ${turns} times.`,
});

export const toys = noun('toys', 'toys', [windToyDeclaration]);

export const windToy = implement(windToyDeclaration, async (_ctx, { turns }) => ({ turns }));
