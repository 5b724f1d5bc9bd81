import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { legacyPart, personal, secret, url } from './fields.ts';
import { adminOperations } from '../perform.ts';
import { adminOperation } from './operation.ts';

describe('the input that the audit log keeps', () => {
  test('omits secrets, also in optional fields and nested objects', () => {
    const schema = z.strictObject({
      plain: z.string(),
      token: secret,
      maybe: secret.optional(),
      nullable: secret.nullable().default(null),
      parts: z.strictObject({ code: legacyPart, shown: z.number() }).nullable(),
    });
    const { withoutSecrets } = adminOperation(schema, async () => ({}));
    const input = { plain: 'a', token: 't', maybe: 't', nullable: 't', parts: { code: 'c', shown: 1 } };
    expect(withoutSecrets(input)).toEqual({ plain: 'a', parts: { shown: 1 } });
    expect(withoutSecrets({ ...input, plain: 1 })).toBeNull();
  });

  test('contains only the origin of a URL, and no path of a legacy source', () => {
    const hook = 'https://hooks.example.com/T123/secret?key=1';
    const add = adminOperations['destinations/add'].withoutSecrets({ connectionId: 1, url: hook });
    expect(add).toEqual({ connectionId: 1, url: 'https://hooks.example.com', description: '' });
    const update = adminOperations['destinations/update'];
    expect(update.withoutSecrets({ id: 1, url: hook })).toEqual({ id: 1, url: 'https://hooks.example.com' });
    expect(update.withoutSecrets({ id: 1, url: 'no address' })).toEqual({ id: 1 });
    const source = { connectionId: 1, platform: 'smartlead', legacy: { hubId: 'hub-1', ownerId: 'owner-1' } };
    const kept = adminOperations['sources/add'].withoutSecrets(source);
    expect(kept).toMatchObject({ connectionId: 1, platform: 'smartlead' });
    expect(JSON.stringify(kept)).not.toMatch(/hub-1|owner-1/);
  });

  test.each(Object.entries(adminOperations))(
    '%s has secrets only where they are found and omitted',
    (_name, { schema }) => {
      expect(hiddenSecrets(schema, '')).toEqual([]);
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
  if (schema === secret || schema === legacyPart || schema === url || schema === personal)
    return isReached ? [] : [path];
  if (!(schema instanceof z.ZodType)) return [];
  const { type, ...parts } = schema.def;
  const isKnown = ['object', 'optional', 'nullable', 'default', 'prefault'].includes(type);
  return Object.entries(parts).flatMap(([name, part]) => {
    const isGroup = typeof part === 'object' && part !== null && !(part instanceof z.ZodType);
    const inner: [string, unknown][] = isGroup ? Object.entries(part) : [[name, part]];
    return inner.flatMap(([field, one]) => hiddenSecrets(one, `${path}.${field}`, isReached && isKnown));
  });
}
