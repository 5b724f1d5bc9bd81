import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { declare, type Declaration, fieldOf } from '../declared/declare.ts';
import { addDestination, updateDestination } from '../declared/destinations.ts';
import { secret } from '../declared/fields.ts';
import { NOUNS } from '../declared/index.ts';
import { withoutSecrets } from './operation.ts';

describe('the input that the audit log keeps', () => {
  test('omits secrets, also in optional fields, nested objects, and fields that say more than the secret', () => {
    const input = z.strictObject({
      plain: z.string(),
      token: secret.meta({ description: 'a token' }),
      maybe: secret.optional(),
      nullable: secret.nullable().default(null),
      parts: z.strictObject({ code: secret, shown: z.number() }).nullable(),
    });
    const toy = declare({ name: 'toys/wind', description: '', permission: 'write', input, result: {} });
    const given = { plain: 'a', token: 't', maybe: 't', nullable: 't', parts: { code: 'c', shown: 1 } };
    expect(withoutSecrets(toy, given)).toEqual({ plain: 'a', parts: { shown: 1 } });
    expect(withoutSecrets(toy, { ...given, plain: 1 })).toBeNull();
  });

  test('contains only the origin of a URL', () => {
    const hook = 'https://hooks.example.com/T123/secret?key=1';
    const added = withoutSecrets(addDestination, { connectionId: 1, url: hook });
    expect(added).toEqual({ connectionId: 1, url: 'https://hooks.example.com', description: '' });
    const update = (url: string) => withoutSecrets(updateDestination, { id: 1, url });
    expect(update(hook)).toEqual({ id: 1, url: 'https://hooks.example.com' });
    expect(update('no address')).toEqual({ id: 1 });
  });

  const all = NOUNS.flatMap((noun): readonly Declaration[] => noun.operations);
  test.each(all.map((each) => [each.name, each.input] as const))(
    '%s has secrets only where they are found and omitted',
    (_name, input) => {
      expect(hiddenSecrets(input, '')).toEqual([]);
    },
  );

  test('finds a secret in an array or union', () => {
    expect(
      hiddenSecrets(z.strictObject({ tokens: z.array(secret), one: z.union([secret, z.null()]) }), ''),
    ).toHaveLength(2);
  });
});

/** Returns the paths of secrets that the audit log would keep: those inside anything but objects and optional fields. */
function hiddenSecrets(schema: unknown, path: string, isReached = true): string[] {
  if (!(schema instanceof z.ZodType)) return [];
  if (fieldOf(schema).meta.audit !== undefined) return isReached ? [] : [path];
  const { type, ...parts } = schema.def;
  const isKnown = ['object', 'optional', 'nullable', 'default', 'prefault'].includes(type);
  return Object.entries(parts).flatMap(([name, part]) => {
    const isGroup = typeof part === 'object' && part !== null && !(part instanceof z.ZodType);
    const inner: [string, unknown][] = isGroup ? Object.entries(part) : [[name, part]];
    return inner.flatMap(([field, one]) => hiddenSecrets(one, `${path}.${field}`, isReached && isKnown));
  });
}
