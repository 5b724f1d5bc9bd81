/** Control endpoints for a world's rows: the HTTP counterpart of `mock.db`. */
import { ApiError, badRequest } from '@svc/domain/errors/errors';
import { findRowOf, isLog, listOf } from '../db/row-lists.ts';
import { deleteRows, insertRow, updateRow } from '../db/rows.ts';
import { RowError } from '../db/types.ts';
import type { DbKind, DbRows } from '../generated/row-types.ts';
import { allRows } from '../state/log.ts';
import { isPartOf } from '../state/verify.ts';
import type { World } from '../state/world.ts';
import { type ControlRoute, controlRoute, parse } from './route.ts';
import { dataKind, rowSchema, rowsQuery } from './schemas.ts';

export const dataRoutes: readonly ControlRoute[] = [
  controlRoute({
    at: 'GET /data/{kind}',
    summary: 'Lists rows of a kind: configured ones by ascending id, logs oldest first',
    query: rowsQuery,
    answers: { 200: 'Rows' },
    run({ world, params, query }) {
      const where = parseWhere(query.where);
      const rows = rowsOf(world, kindOf(params)).filter((row) => isPartOf(where, toPlain(row)));
      return { json: { rows: query.limit === 0 ? [] : rows.slice(-query.limit), total: rows.length } };
    },
  }),
  controlRoute({
    at: 'POST /data/{kind}',
    summary: 'Creates a row; omitted fields get defaults',
    body: rowSchema,
    answers: { 201: 'Row' },
    run: ({ engine, world, params, body }) =>
      withBadRequest(() => ({
        status: 201,
        json: insertRow(world, kindOf(params), toValues(body), engine.now(world)),
      })),
  }),
  controlRoute({
    at: 'PATCH /data/{kind}/{id}',
    summary: 'Changes fields of a row',
    body: rowSchema,
    answers: { 200: 'Row' },
    run: ({ engine, world, params, body }) =>
      withBadRequest(() => {
        const kind = kindOf(params);
        const id = existingId(world, kind, params['id'] ?? '');
        return { json: updateRow(world, kind, id, toValues(body), engine.now(world)) };
      }),
  }),
  controlRoute({
    at: 'DELETE /data/{kind}/{id}',
    summary: 'Deletes a row that no other row refers to',
    answers: { 204: null },
    run: ({ world, params }) =>
      withBadRequest(() => {
        const kind = kindOf(params);
        deleteRows(world, kind, [existingId(world, kind, params['id'] ?? '')]);
        return { status: 204 };
      }),
  }),
];

function kindOf({ kind }: Readonly<Record<string, string>>): DbKind {
  const parsed = dataKind.safeParse(kind);
  if (parsed.success) return parsed.data;
  throw new ApiError(404, `Unknown kind of row "${kind}". Kinds: ${dataKind.options.join(', ')}.`);
}

function rowsOf(world: World, kind: DbKind): readonly DbRows[DbKind][] {
  const list = listOf(world.state.data, kind);
  return isLog(list) ? allRows(list) : list;
}

/** Parses the id, a number or a prefixed text. @throws ApiError 404 when the row does not exist */
function existingId(world: World, kind: DbKind, raw: string): DbRows[DbKind]['id'] {
  const id = /^\d+$/.test(raw) ? Number(raw) : raw;
  if (findRowOf(world.state.data, kind, id) === null) throw new ApiError(404, `${kind}: row ${raw} not found`);
  return id;
}

function parseWhere(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    return parse(rowSchema, JSON.parse(text), 'where');
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`where is not JSON: ${error.message}`);
    throw error;
  }
}

/** Returns the row as answered, with instants as texts. */
function toPlain(row: DbRows[DbKind]): object {
  const plain = Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]);
  return Object.fromEntries(plain);
}

/** Converts texts of fields that end in `At`, which are exactly the instants, to dates. */
function toValues(body: Readonly<Record<string, unknown>>): Readonly<Record<string, never>> {
  const values = Object.entries(body).map(([name, value]) => [
    name,
    name.endsWith('At') && typeof value === 'string' ? new Date(value) : value,
  ]);
  // The schema of the kind validates the values later.
  return Object.fromEntries(values);
}

function withBadRequest<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof RowError) throw badRequest(error.message);
    throw error;
  }
}
