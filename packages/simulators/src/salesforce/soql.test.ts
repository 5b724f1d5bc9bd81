import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SalesforceSimulator, startSalesforceSimulator } from './simulator.ts';

let simulator: SalesforceSimulator;
beforeAll(async () => {
  simulator = await startSalesforceSimulator();
  simulator.seed('Contact', { LastName: 'Åsa_1', Email: 'A@Example.org', HasOptedOutOfEmail: true });
  simulator.seed('Contact', { LastName: "O'Neil\\x", Email: 'b@example.org' });
  simulator.seed('Contact', { LastName: '100%', FirstName: 'Kim' });
});
afterAll(() => simulator.close());

async function run(soql: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${simulator.url}/services/data/v66.0/query?q=${encodeURIComponent(soql)}`, {
    headers: { Authorization: 'Bearer t' },
  });
  return { status: response.status, body: await response.json() };
}

async function namesOf(where: string): Promise<string[]> {
  const { body } = await run(`SELECT LastName FROM Contact WHERE ${where} ORDER BY CreatedDate, Id`);
  return (body as { records: { LastName: string }[] }).records.map(({ LastName }) => LastName);
}

describe('conditions', () => {
  test.each([
    ["Email = 'a@example.ORG'", ['Åsa_1']],
    ["Email IN ('a@example.org', 'b@example.org')", ['Åsa_1', "O'Neil\\x"]],
    ["Email NOT IN ('a@example.org', 'b@example.org')", ['100%']],
    ['Email = null', ['100%']],
    ['Email != null AND HasOptedOutOfEmail = false', ["O'Neil\\x"]],
    [String.raw`LastName = 'O\'Neil\\x'`, ["O'Neil\\x"]],
    [String.raw`LastName LIKE '%\_1'`, ['Åsa_1']],
    [String.raw`LastName LIKE '100\%'`, ['100%']],
    ["LastName LIKE '___%'", ['Åsa_1', "O'Neil\\x", '100%']],
    ["(FirstName = 'Kim' OR Email = 'b@example.org') AND NOT LastName = '100%'", ["O'Neil\\x"]],
    ["FirstName = 'Kim' OR (Email = 'a@example.org' AND HasOptedOutOfEmail = true)", ['Åsa_1', '100%']],
  ])('%s', async (where, names) => {
    expect(await namesOf(where)).toEqual(names);
  });
});

describe('refusals', () => {
  test.each([
    ["SELECT Id FROM Contact WHERE Email = 'a' AND LastName = 'b' OR LastName = 'c'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'a", 'MALFORMED_QUERY'],
    [String.raw`SELECT Id FROM Contact WHERE Email = 'a\q'`, 'MALFORMED_QUERY'],
    ['SELECT Id, Account.Owner.Name FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT COUNT() FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE Id IN (SELECT ContactId FROM CampaignMember)', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE Email IN ()', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact GROUP BY Id', 'MALFORMED_QUERY'],
    ['DELETE FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT Nope FROM Contact', 'INVALID_FIELD'],
    ['SELECT Id FROM Nope', 'INVALID_TYPE'],
    ["SELECT Id FROM Task WHERE Description = 'x'", 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE HasOptedOutOfEmail = 'x'", 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE Id = 'abc'", 'INVALID_QUERY_FILTER_OPERATOR'],
    [`SELECT Id FROM Contact WHERE LastName = '${'x'.repeat(9_000)}' OFFSET 2001`, 'NUMBER_OUTSIDE_VALID_RANGE'],
  ])('%s', async (soql, errorCode) => {
    expect(await run(soql)).toMatchObject({ status: 400, body: [{ errorCode, message: expect.any(String) }] });
  });
});
