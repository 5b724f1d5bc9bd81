/** The operation table agrees with the contract. */
import { describe, expect, test } from 'vitest';
import { isOperationId, type Operation, operationById, operations, toRoutePath } from '../src/operations.ts';
import { declaredStatuses } from './strict.ts';
import { type OperationObject, type ParameterObject, readContractDocument, resolve } from './strict-document.ts';

const document = readContractDocument();

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

function parametersOf(operation: OperationObject, place: ParameterObject['in']): ParameterObject[] {
  return (operation.parameters ?? [])
    .map((parameter) => resolve<ParameterObject>(document, parameter))
    .filter((parameter) => parameter.in === place);
}

/** Converts an operation of the contract to a row of the table. */
function asRow({ path, method, operation }: (typeof described)[number]) {
  const success = Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 300);
  return {
    id: operation.operationId,
    method,
    path,
    access: operation['x-svc-access'],
    rateBucket: operation['x-svc-rate-bucket'],
    successStatus: success[0],
    pathParams: parametersOf(operation, 'path').map(({ name, schema }) => ({ name, type: schema.type })),
    queryParams: parametersOf(operation, 'query').map(({ name }) => name),
    hasBody: operation.requestBody !== undefined,
  };
}

function withoutResources({ scope: _scope, ...row }: Operation) {
  return { ...row, pathParams: row.pathParams.map(({ name, type }) => ({ name, type })) };
}

const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id);

describe('operation table', () => {
  test("has the contract's 39 operations with the same properties", () => {
    expect(operations).toHaveLength(39);
    expect(operations.map(withoutResources).toSorted(byId)).toEqual(described.map(asRow).toSorted(byId));
  });

  test('requires a key exactly where the contract does, and write scope according to the access', () => {
    for (const { operation } of described) {
      if (!isOperationId(operation.operationId)) throw new Error(`${operation.operationId} is not in the table`);
      const { access, scope } = operationById(operation.operationId);
      expect(access === 'public').toBe(operation.security?.length === 0);
      expect(scope).toBe(access === 'public' ? null : access.endsWith('-write') ? 'write' : 'read');
    }
  });

  test('declares exactly the statuses that follow from the row', () => {
    const conflicts: readonly string[] = ['retrySync', 'resyncBlocklist'];
    const expectedStatuses = (row: Operation): number[] => {
      const namesResource =
        row.pathParams.length > 0 || row.queryParams.some((name) => /^(source|destination)Id$/.test(name));
      return [
        row.successStatus,
        ...(row.queryParams.length > 0 || row.hasBody ? [400] : []),
        ...(row.scope === null ? [] : [401, 403]),
        ...(namesResource ? [404] : []),
        ...(conflicts.includes(row.id) ? [409] : []),
        ...(row.hasBody ? [413, 415] : []),
        ...(row.rateBucket === 'none' ? [] : [429, 431]),
        500,
        ...(row.id === 'getHealthReady' ? [503] : []),
      ];
    };
    const declared = operations.map(({ id }) => [id, declaredStatuses(id)]);
    expect(declared).toEqual(operations.map((row) => [row.id, expectedStatuses(row)]));
  });

  test('puts a path without parameters before a path whose parameter would match it', () => {
    const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    for (const [index, row] of operations.entries()) {
      const swallowed = operations
        .slice(index + 1)
        .filter(
          (later) => later.method === row.method && later.path !== row.path && toPattern(row.path).test(later.path),
        );
      expect(swallowed.map((later) => later.id)).toEqual([]);
    }
  });

  test('names each parameter of its paths', () => {
    for (const row of operations as readonly Operation[]) {
      const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(row.pathParams.map((parameter) => parameter.name)).toEqual(inPath);
      expect(toRoutePath(row.path)).not.toContain('{');
    }
    expect(toRoutePath('/api/v1/destinations/{id}/deliveries/{deliveryId}/replay')).toBe(
      '/api/v1/destinations/:id/deliveries/:deliveryId/replay',
    );
  });

  test('has none of the reserved namespaces', () => {
    const reserved = /^\/api\/v1\/(accounts|connections\/|sources\/[^/]+$|blocklists\/[^/]+\/entries)/;
    expect(described.filter(({ path }) => reserved.test(path))).toEqual([]);
    expect(described.filter(({ path, method }) => path === '/api/v1/destinations' && method !== 'GET')).toEqual([]);
  });
});
