import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { MailAddress } from '@svc/domain/relays/mail-address';
import type { Context } from '@svc/engine/context';
import { insertAuditEntry, setAuditOutcome } from '../store/audit-log.ts';
import { AdminError, invalidInput, toAdminError } from './admin-error.ts';
import { type Declaration, fieldOf, type ResultOf, type WorkOf } from '../declared/declare.ts';

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
    | 'crmSetup'
    | 'crmOauth'
    | 'crmQuota'
    | 'sequencerWebhooks'
    | 'sequencerHistory'
    | 'log'
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

/** An operation that can be called. */
export interface Operation<D extends Declaration = Declaration> {
  readonly declaration: D;
  /**
   * Checks the input, because it may come from a socket, and does the work.
   *
   * @throws AdminError when the input is invalid or the work is refused
   */
  run(ctx: AdminContext, input: unknown): Promise<ResultOf<D>>;
}

/** Binds the work of an operation to its declaration. */
export function implement<D extends Declaration>(
  declaration: D,
  work: (ctx: AdminContext, input: z.output<D['input']>) => Promise<WorkOf<D>>,
): Operation<D> {
  return {
    declaration,
    async run(ctx, input) {
      const checked = checkInput(declaration, input);
      try {
        const result = await work(ctx, checked);
        // A caller in this process gets the same as one at the socket.
        return JSON.parse(JSON.stringify(result)) as ResultOf<D>;
      } catch (error) {
        throw toAdminError(error);
      }
    },
  };
}

/** @throws AdminError when the input is invalid */
export function checkInput<D extends Declaration>({ input: schema }: D, input: unknown): z.output<D['input']> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalidInput(describe(parsed.error));
  return parsed.data as z.output<D['input']>;
}

/** @throws AdminError when an update contains nothing but the id */
export function assertChange({ id: _id, ...changes }: { id: number; [field: string]: unknown }): void {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw invalidInput('Name at least one thing to change: --help lists the options.');
  }
}

/** Returns the input as the audit log keeps it, without secrets; null when the input is invalid. */
export function withoutSecrets({ input: schema }: Declaration, input: unknown): object | null {
  const parsed = schema.safeParse(input);
  return parsed.success ? fieldsWithoutSecrets(schema, parsed.data) : null;
}

function fieldsWithoutSecrets(schema: z.ZodObject, value: object): object {
  const fields = Object.entries(value).map(([field, inner]) => [field, withoutSecret(schema.shape[field], inner)]);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}

/** Searches optional fields and objects. A secret anywhere else would be kept, which a test forbids. */
function withoutSecret(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return value;
  const { core, meta } = fieldOf(schema);
  if (meta.audit === 'nothing') return undefined;
  if (meta.audit === 'hash' && typeof value === 'string') return hashOf(value);
  if (meta.audit === 'origin') {
    return typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : undefined;
  }
  return core instanceof z.ZodObject && typeof value === 'object' && value !== null
    ? fieldsWithoutSecrets(core, value)
    : value;
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

/** Who did a step of a configuration file. The entry of `config/apply` names the caller. */
export const CONFIG_ACTOR = 'config apply';

/** Runs an operation for a caller. Calls that change something leave an entry in the audit log, interrupted ones too. @param actor who called */
export async function perform(
  ctx: AdminContext,
  operation: Operation,
  { input, actor }: { input: unknown; actor: string },
): Promise<object> {
  const { declaration } = operation;
  if (declaration.permission === 'read') return operation.run(ctx, input);
  const entry = { actor, operation: declaration.name, input: withoutSecrets(declaration, input) };
  return withAuditEntry(ctx, entry, () => operation.run(ctx, input));
}

/** Does something that leaves an entry in the audit log. The entry of an interrupted call has no outcome. */
export async function withAuditEntry<Result>(
  { db, clock }: Pick<AdminContext, 'db' | 'clock'>,
  entry: { actor: string; operation: string; input: object | null },
  work: () => Promise<Result>,
): Promise<Result> {
  const id = await insertAuditEntry(db, { at: clock.now(), ...entry });
  // A failure to record the outcome must not hide the result; the entry then looks interrupted.
  const end = (outcome: string) => setAuditOutcome(db, id, outcome).catch(() => {});
  try {
    const result = await work();
    await end('done');
    return result;
  } catch (error) {
    const refusal = toAdminError(error);
    await end(refusal instanceof AdminError ? refusal.code : 'unexpected');
    throw error;
  }
}
