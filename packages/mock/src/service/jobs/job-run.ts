/** The context of a running job. */
import type { Job, JobWork } from '../../state/world-data.ts';
import type { World } from '../../state/world.ts';
import type { EngineDeps } from '../call.ts';

export interface PostResult {
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
}

/** Makes a POST without following redirects. Never rejects. */
export type Post = (
  url: string,
  init: {
    readonly headers: Readonly<Record<string, string>>;
    /** UTF-8. */
    readonly body: string;
    readonly timeoutMs: number;
    /** Aborted when the time limit is over in world time, which can be earlier. */
    readonly signal: AbortSignal;
  },
) => Promise<PostResult>;

export interface JobDeps extends EngineDeps {
  /** Posts to a receiver. */
  readonly post: Post;
}

export interface WorldRun {
  readonly world: World;
  /** World time at the start of the job. */
  readonly now: Date;
  /** Reads the current world time. */
  readonly time: () => Date;
  readonly deps: JobDeps;
  /** Returns false after a restore or reset: the job must then not change the world. */
  readonly isCurrent: () => boolean;
  /**
   * Starts the time limit of a post. Other jobs run while the job waits for the receiver.
   * @returns a signal that is aborted when the limit is over in world time
   */
  readonly beginPost: (timeoutMs: number) => AbortSignal;
}

export interface JobRun<Kind extends JobWork['kind'] = JobWork['kind']> extends WorldRun {
  readonly job: Extract<Job, { readonly kind: Kind }>;
}
