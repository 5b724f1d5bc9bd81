import { tryStatements } from '../events/self-test.ts';
import { toFailed } from '../http/http-failure.ts';
import type { CrmSetup } from '../port/setup.ts';
import type { CrmAccess } from '../port/types.ts';
import { readUser } from './access.ts';
import { createSalesforceClient } from './client.ts';
import type { SalesforceConnectorOptions } from './connector.ts';
import { describeOrg } from './describe.ts';
import { prepareOrg } from './prepare.ts';

/** What the operator of a connection asks of its org. */
export function createSalesforceSetup(options: SalesforceConnectorOptions): CrmSetup {
  const { now = () => new Date(), baseUrl = null } = options;
  const calls = { ...options, now };
  const clientOf = (access: CrmAccess) =>
    createSalesforceClient({ ...calls, access: withAddress(access), secrets: [] });
  const withAddress = (access: CrmAccess): CrmAccess => ({ ...access, apiUrl: access.apiUrl ?? baseUrl });

  return {
    async describe(access) {
      try {
        return await describeOrg(clientOf(access), now);
      } catch (error) {
        return toFailed(error, 'while reading what Salesforce offers');
      }
    },
    async prepare({ access, isDryRun }) {
      try {
        const { userId } = await readUser(calls, withAddress(access));
        return { status: 'prepared', items: await prepareOrg({ client: clientOf(access), isDryRun, userId }) };
      } catch (error) {
        return toFailed(error, 'while preparing Salesforce');
      }
    },
    async *selfTest(input) {
      // Only the command needs them, not the server that starts.
      const { SALESFORCE_STATEMENTS } = await import('./statements.ts');
      const { makeSelfTestWorld } = await import('./self-test-world.ts');
      const world = () => makeSelfTestWorld(calls, { ...input, access: withAddress(input.access) });
      yield* tryStatements(SALESFORCE_STATEMENTS, world);
    },
  };
}
