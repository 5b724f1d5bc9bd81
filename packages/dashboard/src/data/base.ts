/** The path of the dashboard as the browser sees it, with the prefix that the server wrote into `<base>`. It ends with a slash. */
export const BASE_PATH = new URL(document.baseURI).pathname;

/** The same without the slash, for the router. */
export const ROUTER_BASE = BASE_PATH.replace(/\/$/, '');

/** Returns the absolute URL of a route of the dashboard's own API. @param path without a leading slash: `session` */
export function apiUrl(path: string): string {
  return new URL(`api/${path}`, document.baseURI).href;
}
