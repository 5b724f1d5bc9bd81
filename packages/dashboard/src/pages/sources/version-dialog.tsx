import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/copy.tsx';
import { DialogActions, DialogButton } from '../../parts/dialog.tsx';
import { Difference } from '../../parts/difference.tsx';

/** A button that shows an earlier version of what an editor edits, and puts it back there. */
export function VersionDialog({
  version,
  text,
  current,
  onTake,
}: {
  version: number;
  text: string;
  /** The text in the editor. */
  current: string;
  /** Absent for those who may not change it. */
  onTake: (() => void) | undefined;
}) {
  return (
    <DialogButton
      label="Show"
      title={`Version ${version}`}
      description="What going back to it would change in the editor."
      button={{ isSmall: true, 'aria-label': `Show version ${version}` }}
      isWide
    >
      {(close) => (
        <>
          {text === current ? (
            <Code label={`Version ${version}`} value={text} />
          ) : (
            <Difference label="What differs" before={current} after={text} />
          )}
          <DialogActions>
            <Button onClick={close}>Close</Button>
            {onTake !== undefined && text !== current && (
              <Button
                kind="primary"
                onClick={() => {
                  onTake();
                  close();
                }}
              >
                Take it into the editor
              </Button>
            )}
          </DialogActions>
        </>
      )}
    </DialogButton>
  );
}
