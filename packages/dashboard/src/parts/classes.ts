/** Joins the names of classes; those that are false or undefined are left out. */
export function classes(...names: (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(' ');
}
