/** The page after the one that was handed out is on its way already; one that is not wanted any more is let go. */
export async function* readAhead<Page>(
  pages: AsyncGenerator<Page, void, undefined>,
): AsyncGenerator<Page, void, undefined> {
  let next = pages.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done) return;
      next = pages.next();
      // A failure is told when the page is asked for.
      next.catch(() => {});
      yield step.value;
    }
  } finally {
    pages.return().catch(() => {});
  }
}
