/** A browser without scripts: it follows redirects, keeps cookies, and presses the buttons of a consent page. */

export interface Page {
  /** Address after all redirects. */
  url: URL;
  status: number;
  headers: Headers;
  html: string;
}

export class FakeBrowser {
  readonly #cookies = new Map<string, { origin: string; path: string; value: string }>();

  /** @param stopsAt an address that is not opened any more */
  async open(address: string, init: RequestInit = {}, stopsAt?: (url: URL) => boolean): Promise<Page> {
    let url = new URL(address);
    let next: RequestInit = init;
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const response = await fetch(url, { ...next, redirect: 'manual', headers: { cookie: this.#cookieHeader(url) } });
      this.keepCookies(url, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) {
        return { url, status: response.status, headers: response.headers, html: await response.text() };
      }
      await response.body?.cancel();
      url = new URL(location, url);
      if (stopsAt?.(url) === true) return { url, status: response.status, headers: response.headers, html: '' };
      next = {};
    }
    throw new Error(`too many redirects, last to ${url.href}`);
  }

  /** Presses a button of a consent page, and follows the redirect to the app. */
  press(page: Page, decision: 'allow' | 'deny'): Promise<Page> {
    const fields = [...page.html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const form = new URLSearchParams(
      fields.map(([, name = '', value = '']): [string, string] => [name, unescape(value)]),
    );
    form.set('decision', decision);
    return this.open(`${page.url.origin}${page.url.pathname}`, { method: 'POST', body: form });
  }

  #cookieHeader(url: URL): string {
    return [...this.#cookies]
      .filter(([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  keepCookies({ origin }: URL, headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice(5) ?? '/';
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, { origin, path, value });
    }
  }
}

function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
