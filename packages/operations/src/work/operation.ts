import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { MailAddress } from '@svc/domain/relays/mail-address';
import type { Context } from '@svc/engine/context';
import { invalidInput, toAdminError } from './admin-error.ts';
import { legacyPart, personal, secret, url } from './fields.ts';

/** The dependencies of operations: a part of the server's context that also exists without a server. */
export interface AdminContext
  extends Pick<
    Context,
    | 'db'
    | 'clock'
    | 'secrets'
    | 'randomBytes'
    | 'outbound'
    | 'urls'
    | 'branding'
    | 'crmConnector'
    | 'crmOauth'
    | 'areWorkersRunning'
  > {
  /** Whether `urls` are defaults because no server runs here and none are configured. Default false. */
  areUrlsAssumed?: boolean;
  /** Folder of the embedded database; absent with PostgreSQL. */
  dataDir?: string;
  /** The sender of relay mails; null without a configured mail server. */
  mail: { readonly from: MailAddress } | null;
  /** Present in a running server, absent in a command's own process. */
  proxyWatch?: Context['proxyWatch'];
}

/**
 * An administrative operation. Its input is always checked, because it may come from a socket. Instants in results are
 * ISO-8601 strings, so that results do not change when sent as JSON.
 */
export interface AdminOperation<Input, Result extends object> {
  (ctx: AdminContext, input: Input): Promise<Result>;
  readonly schema: z.ZodObject;
  /** Returns the input without its secrets for the audit log; null when it is invalid. */
  withoutSecrets(input: unknown): object | null;
}

/**
 * Creates an operation that checks its input. The operation throws AdminError when the input is invalid or the work is
 * refused.
 */
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

/** Searches optional fields and objects. A secret anywhere else would be kept, which a test forbids. */
function withoutSecret(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === secret || schema === legacyPart) return undefined;
  if (schema === personal && typeof value === 'string') return hashOf(value);
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

/** So that a later question about the same person finds the entry. */
function hashOf(identity: string): string {
  return `sha256:${createHash('sha256').update(identity.trim().toLowerCase()).digest('hex')}`;
}

/** Describes every problem with its field, without values, which may be secrets. */
function describe(error: z.ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return problems.join('; ');
}
