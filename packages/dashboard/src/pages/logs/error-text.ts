/** Returns what an error of a sync says to people: its message, or the whole of it. */
export function errorText(error: Readonly<Record<string, unknown>> | string | null): string {
  if (error === null) return '';
  if (typeof error === 'string') return error;
  const { message, category } = error;
  if (typeof message !== 'string') return JSON.stringify(error);
  return typeof category === 'string' ? `${message} (${category})` : message;
}
