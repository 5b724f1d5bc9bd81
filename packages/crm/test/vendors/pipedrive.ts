import { fields, listOf, oneOf, orNull, type VendorFacts } from './check-exchanges.ts';

/**
 * What Pipedrive publishes of the operations that we use. Written down from its OpenAPI documents of both versions.
 *
 * The documents hardly ever say that a field can be null, so every field of an answer that a record may lack can be null
 * here. They do not say which status a refusal has; that comes from the pages on status codes.
 */

const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const anything = {};

/** `2026-03-01T10:00:00Z` of v2, and `2026-03-01 10:00:00` of v1. */
const time = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$` };
const timeOfV1 = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$` };
const optionalText = orNull(text);
const optionalInteger = orNull(integer);

/** 1: the owner, 3: the owner's group, 5: with the groups below, 7: everybody. */
const VISIBILITIES = [1, 3, 5, 7];
const visibleTo = { type: 'integer', enum: VISIBILITIES };

const contactValues = listOf(fields({ value: text, primary: flag, label: text }, ['value']));
const customFields = { type: 'object', additionalProperties: true };
const address = fields({
  value: optionalText,
  country: optionalText,
  admin_area_level_1: optionalText,
  admin_area_level_2: optionalText,
  locality: optionalText,
  sublocality: optionalText,
  route: optionalText,
  street_number: optionalText,
  subpremise: optionalText,
  postal_code: optionalText,
});
const contactSync = {
  postal_address: orNull(address),
  notes: optionalText,
  im: contactValues,
  birthday: optionalText,
  job_title: optionalText,
};

const personInput = {
  name: text,
  owner_id: integer,
  org_id: integer,
  emails: contactValues,
  phones: contactValues,
  visible_to: visibleTo,
  label_ids: listOf(integer),
  ...contactSync,
  marketing_status: oneOf('no_consent', 'unsubscribed', 'subscribed', 'archived'),
  custom_fields: customFields,
};
const person = fields(
  {
    id: integer,
    name: text,
    first_name: optionalText,
    last_name: optionalText,
    owner_id: integer,
    org_id: optionalInteger,
    add_time: time,
    update_time: orNull(time),
    emails: contactValues,
    phones: contactValues,
    is_deleted: flag,
    visible_to: visibleTo,
    label_ids: listOf(integer),
    picture_id: optionalInteger,
    ...contactSync,
    custom_fields: customFields,
  },
  ['id', 'name', 'owner_id', 'org_id', 'emails', 'phones', 'is_deleted', 'visible_to', 'custom_fields'],
);
const foundPerson = fields(
  {
    id: integer,
    type: oneOf('person'),
    name: text,
    phones: listOf(text),
    emails: listOf(text),
    visible_to: visibleTo,
    owner: fields({ id: integer }),
    organization: orNull(fields({ id: integer, name: text, address: optionalText })),
    custom_fields: listOf(text),
    notes: listOf(text),
  },
  ['id', 'name', 'emails'],
);

const organizationInput = {
  name: text,
  owner_id: integer,
  add_time: time,
  visible_to: visibleTo,
  label_ids: listOf(integer),
  address,
  website: optionalText,
  linkedin: optionalText,
  industry: optionalInteger,
  annual_revenue: optionalInteger,
  employee_count: optionalInteger,
  custom_fields: customFields,
};
const organization = fields(
  { id: integer, update_time: orNull(time), is_deleted: flag, ...organizationInput, address: orNull(address) },
  ['id', 'name', 'owner_id', 'is_deleted', 'visible_to', 'custom_fields'],
);
const foundOrganization = fields(
  {
    id: integer,
    type: oneOf('organization'),
    name: text,
    address: optionalText,
    visible_to: visibleTo,
    owner: fields({ id: integer }),
    custom_fields: listOf(text),
    notes: listOf(text),
  },
  ['id', 'name'],
);

const participants = listOf(fields({ person_id: integer, primary: flag }, ['person_id']));
const attendees = listOf(
  fields({ email: text, name: text, status: text, is_organizer: flag, person_id: integer, user_id: integer }),
);
/** `person_id` is that of the primary participant. The document lists it for writes too; a write with it is refused. */
const activityInput = {
  subject: text,
  type: text,
  owner_id: integer,
  deal_id: integer,
  lead_id: text,
  org_id: integer,
  project_id: integer,
  due_date: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d$` },
  due_time: { type: 'string', pattern: String.raw`^\d\d:\d\d(:\d\d)?$` },
  duration: text,
  busy: flag,
  done: flag,
  location: address,
  participants,
  attendees,
  public_description: text,
  priority: integer,
  note: text,
};
const activity = fields(
  {
    ...Object.fromEntries(Object.entries(activityInput).map(([name, schema]) => [name, orNull(schema)])),
    id: integer,
    subject: text,
    type: text,
    owner_id: integer,
    creator_user_id: integer,
    is_deleted: flag,
    done: flag,
    add_time: time,
    update_time: orNull(time),
    marked_as_done_time: orNull(time),
    person_id: optionalInteger,
    conference_meeting_client: optionalText,
    conference_meeting_url: optionalText,
    conference_meeting_id: optionalText,
  },
  ['id', 'subject', 'type', 'owner_id', 'done', 'person_id', 'participants', 'note', 'is_deleted'],
);

const FIELD_TYPES_TO_MAKE = [
  ...['varchar', 'text', 'double', 'phone', 'date', 'daterange', 'time', 'timerange', 'set', 'enum', 'varchar_auto'],
  ...['address', 'monetary', 'org', 'people', 'user'],
];
const FIELD_TYPES = [
  ...FIELD_TYPES_TO_MAKE,
  ...['int', 'boolean', 'varchar_options', 'deal', 'deals', 'lead', 'project', 'stage', 'activity', 'json', 'picture'],
  ...['status', 'visible_to', 'price_list', 'billing_frequency', 'projects_board', 'projects_phase'],
];
const fieldInput = fields(
  {
    field_name: { type: 'string', minLength: 1, maxLength: 255 },
    field_type: oneOf(...FIELD_TYPES_TO_MAKE),
    options: listOf(fields({ label: text }, ['label'])),
    ui_visibility: anything,
    important_fields: anything,
    required_fields: anything,
  },
  ['field_name', 'field_type'],
);
const field = fields(
  {
    field_name: text,
    field_code: text,
    field_type: oneOf(...FIELD_TYPES),
    options: orNull(listOf(anything)),
    subfields: orNull(listOf(anything)),
    is_custom_field: flag,
    is_optional_response_field: flag,
    ui_visibility: anything,
    important_fields: anything,
    required_fields: anything,
  },
  ['field_name', 'field_code', 'field_type', 'is_custom_field', 'is_optional_response_field'],
);

const dealInput = {
  title: text,
  owner_id: integer,
  person_id: integer,
  org_id: integer,
  pipeline_id: integer,
  stage_id: integer,
  value: number,
  currency: text,
  is_deleted: flag,
  is_archived: flag,
  archive_time: text,
  status: text,
  probability: orNull(number),
  lost_reason: optionalText,
  visible_to: visibleTo,
  close_time: optionalText,
  won_time: text,
  lost_time: text,
  expected_close_date: text,
  label_ids: listOf(integer),
  custom_fields: customFields,
};
const deal = fields(
  {
    ...Object.fromEntries(Object.entries(dealInput).map(([name, schema]) => [name, orNull(schema)])),
    id: integer,
    title: text,
    creator_user_id: integer,
    add_time: time,
    update_time: orNull(time),
    stage_change_time: orNull(time),
    local_won_date: optionalText,
    local_lost_date: optionalText,
    local_close_date: optionalText,
    origin: text,
    origin_id: optionalText,
    channel: optionalInteger,
    channel_id: optionalText,
    source_lead_id: optionalText,
    acv: orNull(number),
    arr: orNull(number),
    mrr: orNull(number),
  },
  ['id', 'title', 'owner_id', 'person_id', 'pipeline_id', 'stage_id', 'status', 'is_deleted'],
);
const pipeline = fields(
  {
    id: integer,
    name: text,
    order_nr: integer,
    is_deleted: flag,
    is_deal_probability_enabled: flag,
    add_time: time,
    update_time: orNull(time),
  },
  ['id', 'name', 'order_nr', 'is_deleted'],
);
const stage = fields(
  {
    id: integer,
    order_nr: integer,
    name: text,
    is_deleted: flag,
    deal_probability: integer,
    pipeline_id: integer,
    is_deal_rot_enabled: flag,
    days_to_rotten: optionalInteger,
    add_time: time,
    update_time: orNull(time),
  },
  ['id', 'name', 'order_nr', 'is_deleted', 'pipeline_id'],
);

const pin = { type: 'number', enum: [0, 1] };
const noteInput = {
  content: text,
  lead_id: text,
  deal_id: integer,
  person_id: integer,
  org_id: integer,
  project_id: integer,
  task_id: integer,
  user_id: integer,
  add_time: timeOfV1,
  pinned_to_lead_flag: pin,
  pinned_to_deal_flag: pin,
  pinned_to_organization_flag: pin,
  pinned_to_person_flag: pin,
  pinned_to_project_flag: pin,
  pinned_to_task_flag: pin,
};
const named = orNull(fields({ name: text }));
const titled = orNull(fields({ title: text }));
const note = fields(
  {
    id: integer,
    active_flag: flag,
    add_time: timeOfV1,
    update_time: timeOfV1,
    content: text,
    deal: titled,
    deal_id: optionalInteger,
    lead_id: optionalText,
    last_update_user_id: optionalInteger,
    org_id: optionalInteger,
    organization: named,
    person: named,
    person_id: optionalInteger,
    project_id: optionalInteger,
    project: titled,
    task_id: optionalInteger,
    task: titled,
    pinned_to_deal_flag: flag,
    pinned_to_organization_flag: flag,
    pinned_to_person_flag: flag,
    pinned_to_project_flag: flag,
    pinned_to_task_flag: flag,
    user: fields({ email: text, icon_url: optionalText, is_you: flag, name: text }),
    user_id: integer,
  },
  ['id', 'content', 'person_id'],
);

const user = {
  id: integer,
  name: text,
  default_currency: text,
  locale: text,
  lang: integer,
  email: text,
  phone: optionalText,
  activated: flag,
  last_login: text,
  created: text,
  modified: optionalText,
  has_created_company: flag,
  access: listOf(
    fields({
      app: oneOf('global', 'sales', 'campaigns', 'projects', 'account_settings', 'partnership', 'nova'),
      admin: flag,
      permission_set_id: text,
    }),
  ),
  active_flag: flag,
  timezone_name: text,
  timezone_offset: text,
  role_id: integer,
  icon_url: optionalText,
  is_you: flag,
  is_deleted: flag,
};
const USER_REQUIRED = ['id', 'email', 'active_flag'];
const currentUser = fields(
  {
    ...user,
    company_id: integer,
    company_name: text,
    company_domain: text,
    company_country: text,
    company_industry: text,
    language: fields({ language_code: text, country_code: text }),
  },
  [...USER_REQUIRED, 'company_id'],
);

const activityType = fields(
  {
    id: integer,
    name: text,
    icon_key: text,
    color: text,
    order_nr: integer,
    key_string: text,
    active_flag: flag,
    is_custom_flag: flag,
    add_time: timeOfV1,
    update_time: orNull(timeOfV1),
  },
  ['id', 'key_string', 'active_flag'],
);

const filter = fields(
  {
    id: integer,
    name: text,
    filter_code: optionalText,
    is_editable: flag,
    active_flag: flag,
    type: oneOf('deals', 'leads', 'org', 'people', 'products', 'activity', 'projects'),
    temporary_flag: orNull(flag),
    user_id: integer,
    add_time: timeOfV1,
    update_time: orNull(timeOfV1),
    // Text here, a number everywhere else.
    visible_to: oneOf(...VISIBILITIES.map(String)),
    last_used_time: optionalText,
    custom_view_id: optionalInteger,
    conditions: fields({ glue: oneOf('and'), conditions: listOf(anything) }),
  },
  ['id', 'name', 'type'],
);

const SUCCESS = { type: 'boolean', const: true };
const REQUIRED = ['success', 'data'];
function one(data: object) {
  return { 200: fields({ success: SUCCESS, data }, REQUIRED) };
}
function pageOf(item: object) {
  const additional_data = fields({ next_cursor: optionalText }, ['next_cursor']);
  return { 200: fields({ success: SUCCESS, data: orNull(listOf(item)), additional_data }, REQUIRED) };
}
function foundOf(item: object) {
  const items = listOf(fields({ result_score: number, item }, ['item']));
  const additional_data = fields({ next_cursor: optionalText }, ['next_cursor']);
  return { 200: fields({ success: SUCCESS, data: fields({ items }, ['items']), additional_data }, REQUIRED) };
}
function pageOfV1(item: object) {
  const pagination = fields({ start: integer, limit: integer, more_items_in_collection: flag, next_start: integer }, [
    'more_items_in_collection',
  ]);
  const additional_data = fields({ pagination }, ['pagination']);
  return { 200: fields({ success: SUCCESS, data: orNull(listOf(item)), additional_data }, REQUIRED) };
}
const deleted = one(fields({ id: integer }, ['id']));

const paging = { limit: { type: 'integer', minimum: 1, maximum: 500 }, cursor: text };
const list = {
  ...paging,
  filter_id: integer,
  ids: { type: 'string', pattern: String.raw`^\d+(,\d+){0,99}$` },
  owner_id: integer,
  updated_since: time,
  updated_until: time,
  sort_direction: oneOf('asc', 'desc'),
};
const records = { ...list, sort_by: oneOf('id', 'update_time', 'add_time'), include_fields: text, custom_fields: text };
const search = { ...paging, term: { type: 'string', minLength: 1 }, exact_match: flag };
/** One or more of the values, with commas between. */
const someOf = (values: string) => ({ type: 'string', pattern: `^(${values})(,(${values}))*$` });

export const PIPEDRIVE_FACTS: VendorFacts = {
  source: "Pipedrive's OpenAPI documents v1 and v2 (as kept in github.com/juhokoskela/pipedrive-go, openapi/upstream)",
  date: '2026-08-18',
  operations: {
    'GET /api/v2/persons/search': {
      query: {
        ...search,
        fields: someOf('custom_fields|email|notes|phone|name'),
        organization_id: integer,
        include_fields: text,
      },
      answers: foundOf(foundPerson),
    },
    'GET /api/v2/persons': { query: { ...records, org_id: integer, deal_id: integer }, answers: pageOf(person) },
    'POST /api/v2/persons': { body: fields({ ...personInput, add_time: time }, ['name']), answers: one(person) },
    'GET /api/v2/persons/{id}': { query: { include_fields: text, custom_fields: text }, answers: one(person) },
    'PATCH /api/v2/persons/{id}': { body: fields(personInput), answers: one(person) },
    // A second deletion of the same person answers 410.
    'DELETE /api/v2/persons/{id}': { answers: { ...deleted, 410: deleted[200] } },
    'PUT /api/v1/persons/{id}/merge': {
      body: fields({ merge_with_id: integer }, ['merge_with_id']),
      answers: one(anything),
    },
    'GET /api/v2/organizations/search': {
      query: { ...search, fields: someOf('address|custom_fields|notes|name') },
      answers: foundOf(foundOrganization),
    },
    'GET /api/v2/organizations': { query: records, answers: pageOf(organization) },
    'POST /api/v2/organizations': { body: fields(organizationInput, ['name']), answers: one(organization) },
    'GET /api/v2/organizations/{id}': {
      query: { include_fields: text, custom_fields: text },
      answers: one(organization),
    },
    'DELETE /api/v2/organizations/{id}': { answers: deleted },
    'GET /api/v2/personFields': { query: { ...paging, include_fields: text }, answers: pageOf(field) },
    'POST /api/v2/personFields': { body: fieldInput, answers: one(field) },
    'GET /api/v2/organizationFields': { query: { ...paging, include_fields: text }, answers: pageOf(field) },
    'POST /api/v2/organizationFields': { body: fieldInput, answers: one(field) },
    'GET /api/v2/activities': {
      query: {
        ...list,
        deal_id: integer,
        lead_id: text,
        person_id: integer,
        org_id: integer,
        done: flag,
        sort_by: oneOf('id', 'update_time', 'add_time', 'due_date'),
        include_fields: oneOf('attendees'),
      },
      answers: pageOf(activity),
    },
    'POST /api/v2/activities': { body: fields(activityInput), answers: one(activity) },
    'GET /api/v2/activities/{id}': { query: { include_fields: oneOf('attendees') }, answers: one(activity) },
    'PATCH /api/v2/activities/{id}': { body: fields(activityInput), answers: one(activity) },
    'DELETE /api/v2/activities/{id}': { answers: deleted },
    'GET /api/v2/deals': {
      query: {
        ...records,
        person_id: integer,
        org_id: integer,
        pipeline_id: integer,
        stage_id: integer,
        status: someOf('open|won|lost|deleted'),
      },
      answers: pageOf(deal),
    },
    'POST /api/v2/deals': { body: fields(dealInput, ['title']), answers: one(deal) },
    'GET /api/v2/deals/{id}': { query: { include_fields: text, custom_fields: text }, answers: one(deal) },
    'PATCH /api/v2/deals/{id}': { body: fields(dealInput), answers: one(deal) },
    'DELETE /api/v2/deals/{id}': { answers: deleted },
    'GET /api/v2/pipelines': {
      query: { ...paging, sort_by: text, sort_direction: oneOf('asc', 'desc') },
      answers: pageOf(pipeline),
    },
    'GET /api/v2/stages': {
      query: { ...paging, pipeline_id: integer, sort_by: text, sort_direction: oneOf('asc', 'desc') },
      answers: pageOf(stage),
    },
    'GET /api/v1/notes': {
      query: {
        user_id: integer,
        lead_id: text,
        deal_id: integer,
        person_id: integer,
        org_id: integer,
        project_id: integer,
        task_id: integer,
        start: integer,
        limit: integer,
        sort: text,
        start_date: text,
        end_date: text,
        updated_since: time,
      },
      answers: pageOfV1(note),
    },
    // 200, although something is made.
    'POST /api/v1/notes': { body: fields(noteInput, ['content']), answers: one(note) },
    'GET /api/v1/notes/{id}': { answers: one(note) },
    'PUT /api/v1/notes/{id}': { body: fields(noteInput), answers: one(note) },
    'DELETE /api/v1/notes/{id}': { answers: one(flag) },
    'GET /api/v1/users/me': { answers: one(currentUser) },
    'GET /api/v1/users/find': {
      query: { term: text, search_by_email: { type: 'integer', enum: [0, 1] } },
      answers: one(listOf(fields(user, USER_REQUIRED))),
    },
    'GET /api/v1/users': { answers: one(listOf(fields(user, USER_REQUIRED))) },
    'GET /api/v1/activityTypes': { answers: one(listOf(activityType)) },
    'GET /api/v1/filters/{id}': { query: { include_field_code: flag }, answers: one(filter) },
  },
  refusal: fields(
    {
      success: { type: 'boolean', const: false },
      error: text,
      error_info: text,
      data: { type: 'null' },
      additional_data: anything,
      errorCode: integer,
      code: text,
    },
    ['success', 'error'],
  ),
};
