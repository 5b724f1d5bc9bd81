import { parse } from 'yaml';

/** Text as a template literal: readable in a diff, unlike one line of escapes. */
function toTemplateLiteral(text: string): string {
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;
}

/** `src/generated/document.ts`: the YAML as it is, and the same content as JSON. */
export function renderDocument(yaml: string): string {
  const document: unknown = parse(yaml);
  return `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/** The contract as it is maintained, \`GET /api/v1/openapi.yaml\`. */
export const openapiYaml: string = ${toTemplateLiteral(yaml)};

/** The same content as JSON text, \`GET /api/v1/openapi.json\`. */
export const openapiJson: string = ${toTemplateLiteral(JSON.stringify(document))};
`;
}
