/** HTML pages of constant text that load nothing; a content security policy enforces it. */

export interface HtmlPage {
  readonly title: string;
  /** HTML of the body. The caller escapes inserted text (`escapeHtml`). */
  readonly body: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2.5rem auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.4rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: rgb(128 128 128 / 0.14); border-radius: 4px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.75rem 1rem; white-space: pre-wrap; }
pre code { background: none; padding: 0; font-size: 1em; }
:target { scroll-margin-top: 1rem; border-left: 4px solid #3b82f6; padding-left: 0.75rem; margin-left: -1rem; }
.kind { font-size: 0.8rem; padding: 0.15em 0.55em; border-radius: 999px; border: 1px solid currentColor; vertical-align: middle; }
`;

/** SHA-256 of the style sheet, which the policy allows by its hash. A test checks it. */
const STYLE_HASH = '2iAuXQvJQg8C+iDC6K0yxyVNJsBtVQuJMtn2qMIQmLE=';

/** Directives of every policy: nothing may be loaded unless it is listed, and the page may not be framed. */
export const STRICT_POLICY = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

const STATIC_POLICY = [...STRICT_POLICY, 'img-src data:', `style-src 'sha256-${STYLE_HASH}'`].join('; ');

/** @param policy default: only the page's own style sheet may be loaded */
export function pageHeaders(policy: string = STATIC_POLICY): Record<string, string> {
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}

export function renderPage({ title, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
