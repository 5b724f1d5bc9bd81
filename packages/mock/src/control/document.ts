/** The OpenAPI document of the control endpoints, made from their routes. */
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { type AnswerName, ANSWERS } from './answers.ts';
import { CONTROL_PREFIX } from './prefix.ts';
import type { ControlRoute } from './route.ts';
import { controlRoutes, pathsOf } from './routes.ts';
import { dataKind } from './schemas.ts';

/** Refusals that every route can answer. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; the message says why',
  401: 'The control token is missing or wrong',
  403: 'The call comes from another machine or from a page of another site',
  404: 'No such world, row, fault, snapshot or endpoint',
  413: 'The body is too large',
};

/** Creates the document. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of controlRoutes) {
    for (const path of pathsOf(route)) (paths[path] ??= {})[route.method.toLowerCase()] = toOperation(route, path);
  }
  paths[`${CONTROL_PREFIX}/openapi.json`] = { get: DOCUMENT_OPERATION };
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc-mock control endpoints',
      version: packageJson.version,
      description:
        'Endpoints with which tests control the mock. They exist on svc-mock only, never on a real service. Without the prefix /worlds/{world} they act on the world of the key in Authorization, or on the world that the header Svc-World names; without both, on the default world. A key or name of no existing world is answered 404.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(ANSWERS).map(([name, { schema }]) => [name, toSchema(schema, 'output')]),
      ),
      securitySchemes: {
        controlToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Svc-Control-Token',
          description:
            'Required when svc-mock was started with --control-token. Without a control token only callers on this machine have access.',
        },
      },
    },
  };
}

function toOperation(route: ControlRoute, path: string): object {
  const pathParams = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'kind' ? { type: 'string', enum: dataKind.options } : { type: 'string' },
  }));
  const queryParams = Object.entries(route.query?.shape ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    schema: toSchema(field, 'output'),
  }));
  return {
    operationId: operationIdOf(route, path),
    summary: route.summary,
    parameters: [...pathParams, ...queryParams],
    ...(route.body === null
      ? {}
      : { requestBody: { content: { 'application/json': { schema: toSchema(route.body, 'input') } } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [status, jsonOf('Error', description)]),
      ),
      ...Object.fromEntries(Object.entries(route.answers).map(([status, name]) => [status, answerOf(name)])),
    },
  };
}

const DOCUMENT_OPERATION = {
  operationId: 'getOpenapiJson',
  summary: 'This document',
  responses: {
    200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
    ...Object.fromEntries([401, 403].map((status) => [status, jsonOf('Error', REFUSALS[status] ?? '')])),
  },
};

function answerOf(name: AnswerName | null): object {
  return name === null ? { description: 'Done' } : jsonOf(name, ANSWERS[name].description);
}

function jsonOf(name: AnswerName, description: string): object {
  return { description, content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } };
}

/** Returns an operation id: `POST /worlds/{world}/clock` is `postWorldsWorldClock`. */
function operationIdOf({ method }: ControlRoute, path: string): string {
  const words = path.slice(CONTROL_PREFIX.length).match(/[a-z]+/gi) ?? [];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function toSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema: _$schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
