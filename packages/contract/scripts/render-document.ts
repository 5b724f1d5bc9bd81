import { parse } from 'yaml';

/** Renders text as a template literal, which is readable in a diff. */
function toTemplateLiteral(text: string): string {
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``;
}

/** Returns `src/generated/document.ts`: the document as YAML and as JSON. */
export function renderDocument(yaml: string): string {
  const document: unknown = parse(yaml);
  return `// Generated from openapi.yaml by scripts/generate.ts. Do not edit.

/** The contract as it is maintained, \`GET /api/v1/openapi.yaml\`. */
export const openapiYaml: string = ${toTemplateLiteral(yaml)};

/** The same content as JSON text, \`GET /api/v1/openapi.json\`. */
export const openapiJson: string = ${toTemplateLiteral(JSON.stringify(document))};
`;
}
