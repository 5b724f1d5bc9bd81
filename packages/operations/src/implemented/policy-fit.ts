/** Compares a write policy with the CRM that it is for, before it holds. */
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import { comparePolicy, namesPartsOfCrm } from './compare-policy.ts';
import { invalidInput } from './admin-error.ts';
import { type AskedConnection, askCrm, crmName, isFailed } from './ask-crm.ts';
import type { AdminContext } from './operation.ts';

/**
 * Asks the CRM only when the policy names something of it. Returns notices, also when the CRM cannot be asked.
 *
 * @throws AdminError when the CRM does not have what the policy names
 */
export async function assertPolicyFits(
  ctx: AdminContext,
  connection: AskedConnection,
  policy: WritePolicy,
): Promise<string[]> {
  if (!namesPartsOfCrm(policy)) return [];
  const name = crmName(connection.crm);
  const schema = await askCrm(ctx, connection, (setup, { access }) => setup.describe(access));
  if (isFailed(schema)) {
    const reason = schema.error.message.replace(/\.$/, '');
    return [`The policy was not compared with ${name}: ${reason}. svc-server doctor compares it later.`];
  }
  const { misfits, notices } = comparePolicy(policy, schema, name);
  if (misfits.length > 0) throw invalidInput(misfits.map((misfit) => `policy.${misfit}`).join('; '));
  return notices;
}
