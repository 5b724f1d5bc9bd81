/** The contract as Markdown without schemas and examples: a seventh of its size, for readers that pay for each word. */

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly 'x-svc-access': string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema | Reference } } };
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

interface Reference {
  readonly $ref: string;
}

interface Contract {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** @param json the OpenAPI document as it is served */
export function renderApiDocument(json: string): string {
  const contract: Contract = JSON.parse(json);
  const { info, tags, paths } = contract;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, description, ...own.map(({ title, operation }) => describe(title, operation, contract))];
  });
  return `${[`# ${info.title}`, info.summary, info.description.trim(), ...sections.flat()].join('\n\n')}\n`;
}

function describe(title: string, operation: Operation, contract: Contract): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const access = operation['x-svc-access'];
  const needs = access === 'public' ? 'no key' : access.endsWith('write') ? 'the scope write' : 'the scope read';
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const inputs = [
    ...parameters.map((each) => {
      const { name, in: place, required, description: text } = resolve<Parameter>(each, contract);
      return describeInput(name, required === true ? `${place}, required` : place, text);
    }),
    ...describeBody(requestBody?.content['application/json'].schema, contract),
  ];
  return `### ${title}

\`${operationId}\`: ${summary}. Needs ${needs}. ${description}
${inputs.length === 0 ? '' : `\n${inputs.join('\n')}\n`}
${success?.[0] ?? ''}: ${success?.[1].description ?? ''}`;
}

function describeBody(schema: Schema | Reference | undefined, contract: Contract): string[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = resolve<Schema>(schema, contract);
  return Object.entries(properties).map(([name, { description }]) =>
    describeInput(name, required.includes(name) ? 'body, required' : 'body', description),
  );
}

function describeInput(name: string, place: string, description = ''): string {
  return `- \`${name}\` (${place}): ${description.trim().replaceAll(/\s+/g, ' ')}`;
}

/** Follows a reference such as `#/components/parameters/From`. */
function resolve<Part extends object>(part: Part | Reference, { components }: Contract): Part {
  if (!('$ref' in part)) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  return components[kind]?.[name] as Part;
}
