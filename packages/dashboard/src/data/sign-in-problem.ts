/** What the redirect behind a sign-in with OpenID Connect says (`?problem=`). */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long. Try again.',
  refused: 'The provider did not sign you in.',
  'not-invited': 'Nobody with your address was invited. Ask an admin for an invitation.',
  'other-user': 'The provider signed in somebody else. Sign in as yourself.',
  failed: 'The sign-in with the provider failed. The log of the server says why.',
};

/** Returns why a sign-in at the provider failed; null when the address says nothing of one. @param search of the page's address */
export function describeProblem(search: string): string | null {
  return PROBLEMS[new URLSearchParams(search).get('problem') ?? ''] ?? null;
}
