/**
 * `/llms.txt` (llmstxt.org): what the service is, how it is called, and where its documents are, for programs that read
 * Markdown. All links are absolute.
 */
import { API_PREFIX } from '@svc/contract/vocabulary';
import type { AnswerUrls } from '../requests/answer-headers.ts';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';
import { type Branding, DEFAULT_BRANDING } from './branding.ts';

export interface LlmsTxtSection {
  readonly title: string;
  readonly documents: readonly {
    /** Path below `/docs`, without `.md`. */
    readonly name: string;
    readonly title: string;
    readonly note?: string;
  }[];
}

export interface LlmsTxtOptions extends AnswerUrls {
  readonly branding: Branding;
  readonly hasMcp: boolean;
  readonly sections: readonly LlmsTxtSection[];
}

export function renderLlmsTxt({ apiUrl, docsUrl, branding, hasMcp, sections }: LlmsTxtOptions): string {
  const base = withoutTrailingSlash(apiUrl);
  const facts = [
    `Every call has the header \`Authorization: Bearer ${branding.keyPrefix}...\`. Whoever runs the service makes the keys. Never print a key, and never put one into a page or a file.`,
    `The command line \`svc\` and the SDK read the address from \`SVC_BASE_URL\`, here ${base}, and the key from \`SVC_API_KEY\`.`,
    ...(hasMcp ? [`MCP clients call ${base}/mcp with the same header.`] : []),
    ...describeBranding(branding),
  ];
  const api: LlmsTxtSection['documents'] = [
    { name: 'api', title: 'API reference', note: 'words, keys, lists, errors, limits, and every operation' },
  ];
  const contract = [
    `- [OpenAPI 3.1](${base}${API_PREFIX}/openapi.yaml): the whole contract with schemas and examples, about 200 kB`,
    `- [Status codes](${docsUrl}/status-codes): what blockers and warnings of the account status mean (HTML)`,
  ];
  const lines = (documents: LlmsTxtSection['documents']) =>
    documents.map(({ name, title, note }) => `- [${title}](${base}/docs/${name}.md)${note ? `: ${note}` : ''}`);
  return `# Sequencer-to-CRM sync service

> Events of sequencers (outreach tools such as Smartlead, Instantly and lemlist) are written to CRMs (HubSpot, Salesforce, Pipedrive). The public API v1 of this installation is at ${base}${API_PREFIX}.

${facts.map((fact) => `- ${fact}\n`).join('')}
## API

${[...lines(api), ...contract].join('\n')}
${sections.map(({ title, documents }) => `\n## ${title}\n\n${lines(documents).join('\n')}\n`).join('')}`;
}

/** The documents name the prefixes of the contract. */
function describeBranding(branding: Branding): string[] {
  if (branding === DEFAULT_BRANDING) return [];
  const { headerPrefix, keyPrefix, secretPrefix } = branding;
  const { headerPrefix: header, keyPrefix: key, secretPrefix: secret } = DEFAULT_BRANDING;
  return [
    `Where the documents write \`${header}-\`, \`${key}\` and \`${secret}\`, headers, keys and signing secrets of this installation begin with \`${headerPrefix}-\`, \`${keyPrefix}\` and \`${secretPrefix}\`. Set \`SVC_HEADER_PREFIX=${headerPrefix}\` for \`svc\`, and \`headerPrefix: '${headerPrefix}'\` in the SDK.`,
  ];
}
