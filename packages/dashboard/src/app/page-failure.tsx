import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Notice, Page } from '../parts/page.tsx';

interface State {
  readonly error: Error | null;
}

/**
 * Stands in for a page that threw an error, so that the navigation stays. Files of a page are missing after the server was updated, until the tab is
 * loaded again.
 */
export class PageFailure extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Page title="This page failed">
        <Notice tone="bad" action={<Button onClick={() => location.reload()}>Load it again</Button>}>
          {error.message} It helps to load the page again when the server was updated meanwhile.
        </Notice>
      </Page>
    );
  }
}
