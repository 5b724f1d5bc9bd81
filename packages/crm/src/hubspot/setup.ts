import { tryStatements } from '../events/self-test.ts';
import { asList, asObject } from '../http/answer-values.ts';
import { CrmFailure, toFailed } from '../http/http-failure.ts';
import type { CrmPipeline, CrmSchema, CrmSetup, PreparedItem, PreparedSetup } from '../port/setup.ts';
import type { CrmAccess } from '../port/types.ts';
import { createHubspotClient, type HubspotClient, type HubspotClientOptions } from './client.ts';
import type { HubspotConnectorOptions } from './connector.ts';
import { LAST_VALUE_PROPERTIES } from './last-values.ts';
import { HUBSPOT_PATHS } from './paths.ts';
import { readPipelines } from './pipelines.ts';
import { ensureProperty, PROPERTY_GROUP } from './properties.ts';
import { readDefinitions } from './property-definitions.ts';
import type { SelfTestWorld } from './self-test-world.ts';

/** What policies can name in an account of HubSpot, and the properties that last values and outcomes need. */
export function createHubspotSetup(options: HubspotConnectorOptions): CrmSetup {
  const { fetch, baseUrl = 'https://api.hubapi.com', timeoutMs, signal, now = () => new Date() } = options;
  const calls: HubspotClientOptions = { fetch, baseUrl, timeoutMs, now, signal };
  const clientOf = (access: CrmAccess) => createHubspotClient(calls, access, []);
  return {
    async describe(access) {
      try {
        return await describe(clientOf(access));
      } catch (error) {
        return toFailed(error, 'while reading the properties of HubSpot');
      }
    },
    async prepare({ access, isDryRun }) {
      try {
        return await prepare(clientOf(access), isDryRun);
      } catch (error) {
        return toFailed(error, 'while making properties in HubSpot');
      }
    },
    async *selfTest(input) {
      // Only the command needs them, not the server that starts.
      const { HUBSPOT_STATEMENTS } = await import('./statements.ts');
      const { cleanUp, makeSelfTestWorld } = await import('./self-test-world.ts');
      const made: SelfTestWorld['made'] = new Map();
      try {
        yield* tryStatements(HUBSPOT_STATEMENTS, () => makeSelfTestWorld(calls, input, made));
      } finally {
        // Also when the test was not read to its end.
        if (!input.isKept) await cleanUp(clientOf(input.access), made).catch(() => {});
      }
    },
  };
}

async function describe(client: HubspotClient): Promise<CrmSchema> {
  const [definitions, pipelines] = await Promise.all([readDefinitions(client), readShownPipelines(client)]);
  return {
    status: 'described',
    records: [{ recordType: 'contacts', properties: [...definitions.values()] }],
    leadStatuses: definitions.get('hs_lead_status')?.options ?? null,
    lifecycleStages: definitions.get('lifecyclestage')?.options ?? null,
    pipelines,
    hasCampaignMembers: false,
    hasManualLists: true,
  };
}

/** Returns null when the token may not see deals. */
async function readShownPipelines(client: HubspotClient): Promise<CrmPipeline[] | null> {
  try {
    return await readPipelines(client);
  } catch (error) {
    if (error instanceof CrmFailure && error.isRefusal) return null;
    throw error;
  }
}

async function prepare(client: HubspotClient, isDryRun: boolean): Promise<PreparedSetup> {
  const known = await readDefinitions(client);
  const missing = LAST_VALUE_PROPERTIES.filter(({ name }) => !known.has(name));
  const notes = isDryRun || missing.length === 0 ? new Map<string, string>() : await createProperties(client, missing);
  const after = notes.size === 0 ? null : await readDefinitions(client);
  const items = LAST_VALUE_PROPERTIES.map(({ name }): PreparedItem => {
    const item = { name: `property ${name} of contacts`, note: null };
    if (known.has(name)) return { ...item, state: 'exists' };
    if (isDryRun) return { ...item, state: 'missing' };
    const note = after?.has(name) === true ? undefined : notes.get(name);
    return note === undefined ? { ...item, state: 'made' } : { ...item, state: 'refused', note };
  });
  return { status: 'prepared', items: [...items, await prepareDealKey(client, isDryRun)] };
}

/** Returns why properties were refused, by name. */
async function createProperties(
  client: HubspotClient,
  missing: typeof LAST_VALUE_PROPERTIES,
): Promise<Map<string, string>> {
  const call = { operation: 'properties', method: 'POST', part: 'the properties for last values' } as const;
  try {
    // 409: the group exists.
    await client.call({ ...call, path: HUBSPOT_PATHS.propertyGroups('contacts'), body: PROPERTY_GROUP, accept: [409] });
    const inputs = missing.map((property) => ({ ...property, groupName: PROPERTY_GROUP.name }));
    const { body } = await client.call({ ...call, path: HUBSPOT_PATHS.createProperties('contacts'), body: { inputs } });
    const made = new Set(asList(asObject(body)['results']).map((result) => asObject(result)['name']));
    const [error] = asList(asObject(body)['errors']);
    const note = error === undefined ? 'HubSpot did not say why' : client.itemFailure(call.part, error).message;
    return new Map(missing.filter(({ name }) => !made.has(name)).map(({ name }) => [name, note]));
  } catch (error) {
    // Another process may have made some meanwhile: then HubSpot may refuse all.
    if (!(error instanceof CrmFailure && (error.isRefusal || error.error.httpStatus === 409))) throw error;
    return new Map(missing.map(({ name }) => [name, error.message]));
  }
}

const DEAL_KEY = 'svc_deal_key';

/** Deals are an option: a token that may not see them is no failure. */
async function prepareDealKey(client: HubspotClient, isDryRun: boolean): Promise<PreparedItem> {
  const item = { name: `property ${DEAL_KEY} of deals`, note: null };
  try {
    const path = HUBSPOT_PATHS.property('deals', DEAL_KEY);
    const call = { operation: 'properties', part: item.name, accept: [404] } as const;
    const { status } = await client.call({ ...call, method: 'GET', path });
    if (status === 404 && isDryRun) return { ...item, state: 'missing' };
    await ensureProperty(client, 'deals', DEAL_KEY);
    return { ...item, state: status === 404 ? 'made' : 'exists' };
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    return { ...item, state: 'refused', note: error.message };
  }
}
