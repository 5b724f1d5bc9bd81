import { shellQuote } from '../../format/shell-quote.ts';

type Headers = Readonly<Record<string, string>>;

/** As curl takes them with `-H @FILE`, and `webhooks verify` with `--headers-file`. */
export function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

/** For a shell, where `@-` is stdin too; `--data-binary` because the other ways to give curl a body change it. */
export function curlCommand(headers: Headers, url: string, bodyFile: string): string {
  const flags = Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`);
  return `${['curl', ...flags, `--data-binary ${shellQuote(`@${bodyFile}`)}`, shellQuote(url)].join(' \\\n  ')}\n`;
}
