import * as z from 'zod';
import type { Context } from '../../context.ts';
import { invalidInput, toAdminError } from './admin-error.ts';
import { legacyPart, secret, url } from './fields.ts';

/** What administration works with: a part of the server's context, also where no server runs. */
export interface AdminContext
  extends Pick<
    Context,
    'db' | 'clock' | 'secrets' | 'randomBytes' | 'outbound' | 'urls' | 'branding' | 'crmConnector' | 'areWorkersRunning'
  > {
  /** No server is here to know its address, and none is configured: `urls` hold the default one. Default false. */
  areUrlsAssumed?: boolean;
  /** Where a running server works on its own behalf; absent in a process of its own. */
  proxyWatch?: Context['proxyWatch'];
}

/**
 * One thing an operator can do. Called with input of the right type from here, and with anything at all from a socket:
 * it is checked in both cases. Instants in results are ISO-8601 strings, so that a result is the same after a journey as JSON.
 */
export interface AdminOperation<Input, Result extends object> {
  (ctx: AdminContext, input: Input): Promise<Result>;
  readonly schema: z.ZodObject;
  /** The input without its secrets, for the audit log; null when it is not what the operation takes. */
  withoutSecrets(input: unknown): object | null;
}

/** @throws AdminError from the operation it makes, when the input is not what the schema says, or the work is refused */
export function adminOperation<Schema extends z.ZodObject, Result extends object>(
  schema: Schema,
  work: (ctx: AdminContext, input: z.output<Schema>) => Promise<Result>,
): AdminOperation<z.input<Schema>, Result> {
  const operate = async (ctx: AdminContext, input: unknown): Promise<Result> => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw invalidInput(describe(parsed.error));
    try {
      return await work(ctx, parsed.data);
    } catch (error) {
      throw toAdminError(error);
    }
  };
  const withoutSecrets = (input: unknown): object | null => {
    const parsed = schema.safeParse(input);
    return parsed.success ? fieldsWithoutSecrets(schema, parsed.data) : null;
  };
  return Object.assign(operate, { schema, withoutSecrets });
}

function fieldsWithoutSecrets(schema: z.ZodObject, value: object): object {
  const fields = Object.entries(value).map(([field, inner]) => [field, withoutSecret(schema.shape[field], inner)]);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}

/** Looks through what makes a field optional, and into objects; a secret anywhere else would be kept, which a test forbids. */
function withoutSecret(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === secret || schema === legacyPart) return undefined;
  if (schema === url) return typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : undefined;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return withoutSecret(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    return fieldsWithoutSecrets(schema, value);
  }
  return value;
}

/** Every problem, each with the field it is about. The values themselves are not repeated: one may be a secret. */
function describe(error: z.ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return problems.join('; ');
}
