import { tryStatements } from '../events/self-test.ts';
import { toFailed } from '../http/http-failure.ts';
import type { CrmSetup } from '../port/setup.ts';
import type { CrmAccess } from '../port/types.ts';
import { readUser } from './access.ts';
import { createSalesforceClient } from './client.ts';
import type { SalesforceConnectorOptions } from './connector.ts';
import { describeOrg } from './describe.ts';
import { prepareOrg } from './prepare.ts';
import { makeSelfTestWorld } from './self-test-world.ts';
import { SALESFORCE_STATEMENTS } from './statements.ts';

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
    selfTest: (input) =>
      tryStatements(SALESFORCE_STATEMENTS, () =>
        makeSelfTestWorld(calls, { ...input, access: withAddress(input.access) }),
      ),
  };
}
