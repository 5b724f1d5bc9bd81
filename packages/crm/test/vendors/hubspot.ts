import { fields, listOf, oneOf, type VendorFacts } from './check-exchanges.ts';

/**
 * What HubSpot publishes of the operations that we use, written down from its OpenAPI documents of 2026-09.
 *
 * The documents describe 200, 201 and 204, and one form of refusal. From HubSpot's pages come: the 207 of batches, which has
 * the form of their 200 (error handling), and the further fields of a 429 (usage guidelines). The check of a private token is
 * published nowhere; its form is what public integrations read from it.
 */

const text = { type: 'string' };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
const texts = listOf(text);
const textsByName = { type: 'object', additionalProperties: texts };
const textByName = { type: 'object', additionalProperties: text };
const time = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` };
const nothing = null;

const errorDetail = fields({ message: text, code: text, in: text, subCategory: text, context: textsByName }, [
  'message',
]);
/** An error of one input of a batch. */
const inputError = fields(
  {
    status: text,
    category: text,
    subCategory: { type: 'object' },
    message: text,
    context: textsByName,
    errors: listOf(errorDetail),
    links: textByName,
    id: text,
  },
  ['category', 'context', 'errors', 'links', 'message', 'status'],
);

function batchOf(result: object) {
  const body = fields(
    {
      status: oneOf('CANCELED', 'COMPLETE', 'PENDING', 'PROCESSING'),
      results: listOf(result),
      requestedAt: time,
      startedAt: time,
      completedAt: time,
      links: textByName,
      numErrors: integer,
      errors: listOf(inputError),
    },
    ['completedAt', 'results', 'startedAt', 'status'],
  );
  return { 200: body, 207: body };
}

const next = fields({ after: text, link: text }, ['after']);
const previous = fields({ before: text, link: text }, ['before']);
const paging = fields({ next, prev: previous });

const recordFields = {
  id: text,
  createdAt: time,
  updatedAt: time,
  archived: flag,
  archivedAt: time,
  objectWriteTraceId: text,
  propertiesWithHistory: { type: 'object' },
  url: text,
};
const RECORD_REQUIRED = ['archived', 'createdAt', 'id', 'properties', 'updatedAt'];
const record = fields(
  { ...recordFields, properties: { type: 'object', additionalProperties: { type: ['string', 'null'] } } },
  RECORD_REQUIRED,
);
const upserted = fields({ ...recordFields, properties: textByName, new: flag }, [...RECORD_REQUIRED, 'new']);

const associationTypes = oneOf('HUBSPOT_DEFINED', 'INTEGRATOR_DEFINED', 'USER_DEFINED', 'WORK');
const recordId = fields({ id: text }, ['id']);
const ends = { from: recordId, to: recordId };
const associationSpec = fields({ associationCategory: associationTypes, associationTypeId: integer }, [
  'associationCategory',
  'associationTypeId',
]);

const filter = fields(
  {
    propertyName: text,
    operator: oneOf(
      ...['BETWEEN', 'CONTAINS_TOKEN', 'EQ', 'GT', 'GTE', 'HAS_PROPERTY', 'IN', 'LT', 'LTE', 'NEQ'],
      ...['NOT_CONTAINS_TOKEN', 'NOT_HAS_PROPERTY', 'NOT_IN'],
    ),
    value: text,
    values: texts,
    highValue: text,
  },
  ['operator', 'propertyName'],
);
const search = fields(
  {
    filterGroups: listOf(fields({ filters: listOf(filter) }, ['filters'])),
    sorts: texts,
    properties: texts,
    limit: integer,
    after: text,
    query: text,
  },
  ['after', 'filterGroups', 'limit', 'properties', 'sorts'],
);

const sensitivity = oneOf('highly_sensitive', 'non_sensitive', 'sensitive');
const optionFields = { label: text, value: text, description: text, displayOrder: integer, hidden: flag };
const propertyInput = fields(
  {
    name: text,
    label: text,
    description: text,
    groupName: text,
    type: oneOf('bool', 'date', 'datetime', 'enumeration', 'number', 'phone_number', 'string'),
    fieldType: oneOf(
      ...['booleancheckbox', 'calculation_equation', 'checkbox', 'date', 'file', 'html', 'number', 'phonenumber'],
      ...['radio', 'select', 'text', 'textarea'],
    ),
    hasUniqueValue: flag,
    hidden: flag,
    formField: flag,
    displayOrder: integer,
    externalOptions: flag,
    referencedObjectType: text,
    calculationFormula: text,
    dataSensitivity: sensitivity,
    options: listOf(fields(optionFields, ['displayOrder', 'hidden', 'label', 'value'])),
  },
  ['fieldType', 'groupName', 'label', 'name', 'type'],
);
const property = fields(
  {
    name: text,
    label: text,
    description: text,
    groupName: text,
    type: text,
    fieldType: text,
    options: listOf(fields(optionFields, ['hidden', 'label', 'value'])),
    hasUniqueValue: flag,
    hubspotDefined: flag,
    hidden: flag,
    formField: flag,
    displayOrder: integer,
    calculated: flag,
    calculationFormula: text,
    externalOptions: flag,
    referencedObjectType: text,
    dataSensitivity: sensitivity,
    sensitiveDataCategories: texts,
    dateDisplayHint: oneOf('absolute', 'absolute_with_relative', 'time_since', 'time_until'),
    showCurrencySymbol: flag,
    archived: flag,
    archivedAt: time,
    createdAt: time,
    createdUserId: text,
    updatedAt: time,
    updatedUserId: text,
    modificationMetadata: fields(
      { archivable: flag, readOnlyDefinition: flag, readOnlyValue: flag, readOnlyOptions: flag },
      ['archivable', 'readOnlyDefinition', 'readOnlyValue'],
    ),
  },
  ['description', 'fieldType', 'groupName', 'label', 'name', 'options', 'type'],
);
const propertyQuery = { archived: flag, dataSensitivity: sensitivity, locale: text, properties: text };
const groupFields = { name: text, label: text, displayOrder: integer };

const list = fields(
  {
    listId: text,
    listVersion: integer,
    name: text,
    objectTypeId: text,
    processingType: text,
    processingStatus: text,
    size: integer,
    filterBranch: { type: 'object' },
    filtersUpdatedAt: time,
    listPermissions: { type: 'object' },
    membershipSettings: { type: 'object' },
    createdAt: time,
    createdById: text,
    updatedAt: time,
    updatedById: text,
    deletedAt: time,
  },
  ['listId', 'listVersion', 'name', 'objectTypeId', 'processingStatus', 'processingType'],
);
const member = fields({ recordId: text, membershipTimestamp: time }, ['membershipTimestamp', 'recordId']);

const owner = fields(
  {
    id: text,
    email: text,
    firstName: text,
    lastName: text,
    type: oneOf('PERSON', 'QUEUE'),
    userId: integer,
    userIdIncludingInactive: integer,
    teams: listOf(fields({ id: text, name: text, primary: flag }, ['id', 'name', 'primary'])),
    createdAt: time,
    updatedAt: time,
    archived: flag,
  },
  ['archived', 'createdAt', 'id', 'type', 'updatedAt'],
);

const pipelineFields = {
  id: text,
  label: text,
  displayOrder: integer,
  createdAt: time,
  updatedAt: time,
  archived: flag,
};
const PIPELINE_REQUIRED = Object.keys(pipelineFields);
const stage = fields(
  {
    ...pipelineFields,
    archivedAt: time,
    metadata: textByName,
    writePermissions: oneOf('CRM_PERMISSIONS_ENFORCEMENT', 'INTERNAL_ONLY', 'READ_ONLY'),
  },
  [...PIPELINE_REQUIRED, 'metadata', 'writePermissions'],
);
const pipeline = fields({ ...pipelineFields, archivedAt: time, stages: listOf(stage) }, [
  ...PIPELINE_REQUIRED,
  'stages',
]);

const accountFields = {
  portalId: integer,
  accountType: oneOf('APP_DEVELOPER', 'DEVELOPER_TEST', 'SANDBOX', 'STANDARD'),
  timeZone: text,
  companyCurrency: text,
  additionalCurrencies: texts,
  utcOffset: text,
  utcOffsetMilliseconds: integer,
  uiDomain: text,
  dataHostingLocation: text,
};

export const HUBSPOT_FACTS: VendorFacts = {
  source: 'github.com/HubSpot/HubSpot-public-api-spec-collection, folders 2026-09',
  date: '2026-08-21',
  operations: {
    'POST /crm/objects/2026-09/{objectType}/batch/read': {
      query: { archived: flag },
      body: fields({ idProperty: text, inputs: listOf(recordId), properties: texts, propertiesWithHistory: texts }, [
        'inputs',
        'properties',
        'propertiesWithHistory',
      ]),
      answers: batchOf(record),
    },
    'POST /crm/objects/2026-09/{objectType}/batch/upsert': {
      body: fields(
        {
          inputs: listOf(
            fields({ id: text, idProperty: text, objectWriteTraceId: text, properties: textByName }, [
              'id',
              'properties',
            ]),
          ),
        },
        ['inputs'],
      ),
      answers: batchOf(upserted),
    },
    'POST /crm/objects/2026-09/{objectType}/search': {
      body: search,
      answers: { 200: fields({ total: integer, results: listOf(record), paging }, ['results', 'total']) },
    },
    'POST /crm/objects/2026-09/{objectType}': {
      body: fields({ properties: textByName, associations: listOf({ type: 'object' }) }, [
        'associations',
        'properties',
      ]),
      answers: { 201: record },
    },
    'POST /crm/objects/2026-09/{objectType}/batch/create': {
      body: fields(
        {
          inputs: listOf(
            fields({ associations: listOf({ type: 'object' }), objectWriteTraceId: text, properties: textByName }, [
              'associations',
              'properties',
            ]),
          ),
        },
        ['inputs'],
      ),
      answers: { 201: batchOf(record)[200], 207: batchOf(record)[207] },
    },
    'POST /crm/objects/2026-09/{objectType}/batch/update': {
      body: fields(
        {
          inputs: listOf(
            fields({ id: text, idProperty: text, objectWriteTraceId: text, properties: textByName }, [
              'id',
              'properties',
            ]),
          ),
        },
        ['inputs'],
      ),
      answers: batchOf(record),
    },
    'POST /crm/objects/2026-09/{objectType}/batch/archive': {
      body: fields({ inputs: listOf(recordId) }, ['inputs']),
      answers: { 204: nothing },
    },
    'POST /crm/associations/2026-09/{fromObjectType}/{toObjectType}/batch/read': {
      body: fields({ inputs: listOf(fields({ id: text, after: text }, ['id'])) }, ['inputs']),
      answers: batchOf(
        fields(
          {
            from: recordId,
            to: listOf(
              fields(
                {
                  toObjectId: text,
                  associationTypes: listOf(
                    fields({ category: associationTypes, typeId: integer, label: text }, ['category', 'typeId']),
                  ),
                },
                ['associationTypes', 'toObjectId'],
              ),
            ),
            paging,
          },
          ['from', 'to'],
        ),
      ),
    },
    'PATCH /crm/objects/2026-09/{objectType}/{objectId}': {
      query: { idProperty: text },
      body: fields({ properties: textByName }, ['properties']),
      answers: { 200: record },
    },
    'DELETE /crm/objects/2026-09/{objectType}/{objectId}': { answers: { 204: nothing } },
    'POST /crm/associations/2026-09/{fromObjectType}/{toObjectType}/batch/associate/default': {
      body: fields({ inputs: listOf(fields(ends, ['from', 'to'])) }, ['inputs']),
      answers: batchOf(fields({ ...ends, associationSpec }, ['associationSpec', 'from', 'to'])),
    },
    'GET /crm/properties/2026-09/{objectType}': {
      query: propertyQuery,
      answers: { 200: fields({ results: listOf(property) }, ['results']) },
    },
    'POST /crm/properties/2026-09/{objectType}/batch/create': {
      body: fields({ inputs: listOf(propertyInput) }, ['inputs']),
      answers: { ...batchOf(property), 201: batchOf(property)[200] },
    },
    'GET /crm/properties/2026-09/{objectType}/groups': {
      query: { locale: text },
      answers: {
        200: fields({ results: listOf(fields({ ...groupFields, archived: flag }, ['archived', 'label', 'name'])) }, [
          'results',
        ]),
      },
    },
    'POST /crm/properties/2026-09/{objectType}/groups': {
      body: fields(groupFields, ['label', 'name']),
      answers: { 201: fields({ ...groupFields, archived: flag }, ['archived', 'label', 'name']) },
    },
    'POST /crm/properties/2026-09/{objectType}': { body: propertyInput, answers: { 201: property } },
    'GET /crm/properties/2026-09/{objectType}/{propertyName}': { query: propertyQuery, answers: { 200: property } },
    'GET /crm/pipelines/2026-09/{objectType}': {
      answers: { 200: fields({ results: listOf(pipeline) }, ['results']) },
    },
    'GET /crm/owners/2026-09': {
      query: { after: text, archived: flag, email: text, limit: integer },
      answers: { 200: fields({ results: listOf(owner), paging: fields({ next }) }, ['results']) },
    },
    'POST /crm/lists/2026-09': {
      body: fields(
        {
          name: text,
          objectTypeId: text,
          processingType: text,
          customProperties: textByName,
          filterBranch: { type: 'object' },
          listFolderId: integer,
          listPermissions: { type: 'object' },
          membershipSettings: { type: 'object' },
        },
        ['name', 'objectTypeId', 'processingType'],
      ),
      answers: { 200: fields({ list }, ['list']) },
    },
    'DELETE /crm/lists/2026-09/{listId}': { answers: { 204: nothing } },
    'GET /crm/lists/2026-09/{listId}': {
      query: { includeFilters: flag },
      answers: { 200: fields({ list }, ['list']) },
    },
    'GET /crm/lists/2026-09/{listId}/memberships': {
      query: { after: text, before: text, limit: integer },
      answers: { 200: fields({ total: integer, results: listOf(member), paging }, ['results']) },
    },
    'PUT /crm/lists/2026-09/{listId}/memberships/add': {
      body: texts,
      answers: {
        200: fields({ recordsIdsAdded: texts, recordIdsRemoved: texts, recordIdsMissing: texts }, [
          'recordIdsMissing',
          'recordIdsRemoved',
          'recordsIdsAdded',
        ]),
      },
    },
    'GET /account-info/2026-09/details': { answers: { 200: fields(accountFields, Object.keys(accountFields)) } },
    'POST /oauth/v2/private-apps/get/access-token-info': {
      body: fields({ tokenKey: text }, ['tokenKey']),
      answers: {
        200: fields({ userId: integer, hubId: integer, appId: integer, scopes: texts }, ['hubId', 'scopes']),
      },
    },
  },
  refusal: fields(
    {
      status: oneOf('error'),
      message: text,
      category: text,
      subCategory: text,
      correlationId: { type: 'string', pattern: '^[0-9a-f-]{36}$' },
      context: textsByName,
      links: textByName,
      errors: listOf(errorDetail),
      errorType: text,
      policyName: oneOf('DAILY', 'TEN_SECONDLY_ROLLING', 'SECONDLY'),
    },
    ['category', 'correlationId', 'message'],
  ),
};
