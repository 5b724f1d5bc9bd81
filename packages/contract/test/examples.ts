import { type ContractDocument, type MediaTypeObject, type ResponseObject, resolve } from './strict-document.ts';

/** An example of the contract with its schema. */
export interface ContractExample {
  /** Such as `listSyncs 200 firstPage`. */
  readonly where: string;
  readonly schemaName: string;
  readonly value: unknown;
}

function examplesOf(where: string, media: MediaTypeObject): ContractExample[] {
  const schemaName = media.schema.$ref?.split('/').at(-1);
  if (schemaName === undefined) return [];
  return Object.entries(media.examples ?? {}).map(([name, { value }]) => ({
    where: `${where} ${name}`,
    schemaName,
    value,
  }));
}

const isJson = (mediaType: string): boolean => mediaType === 'application/json';

function examplesOfContent(where: string, content: Readonly<Record<string, MediaTypeObject>> = {}): ContractExample[] {
  return Object.entries(content)
    .filter(([mediaType]) => isJson(mediaType))
    .flatMap(([, media]) => examplesOf(where, media));
}

/** Lists all examples of JSON bodies: of operations, refusals and webhook deliveries. */
export function listExamples(document: ContractDocument): ContractExample[] {
  const paths = Object.values(document.paths).flatMap((path) => Object.values(path));
  const hooks = Object.values(document.webhooks).map((hook) => hook.post);
  const ofOperations = [...paths, ...hooks].flatMap((operation) => [
    ...examplesOfContent(`${operation.operationId} body`, operation.requestBody?.content),
    ...Object.entries(operation.responses)
      .filter(([, response]) => !('$ref' in response))
      .flatMap(([status, response]) =>
        examplesOfContent(`${operation.operationId} ${status}`, resolve<ResponseObject>(document, response).content),
      ),
  ]);
  const ofRefusals = Object.keys(document.components['responses'] ?? {}).flatMap((name) => {
    const response = resolve<ResponseObject>(document, { $ref: `#/components/responses/${name}` });
    return examplesOfContent(name, response.content);
  });
  return [...ofOperations, ...ofRefusals];
}
