/** What a job gets to run with. */
import type { Job, JobWork } from '../../state/world-data.ts';
import type { World } from '../../state/world.ts';
import type { EngineDeps } from '../call.ts';

export interface PostResult {
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: string | null;
}

/** One real POST, without following redirects; never rejects. */
export type Post = (
  url: string,
  init: {
    readonly headers: Readonly<Record<string, string>>;
    /** UTF-8. */
    readonly body: string;
    readonly timeoutMs: number;
    /** Aborted when the limit is over in world time, which can be earlier: nobody waits for the answer any more. */
    readonly signal: AbortSignal;
  },
) => Promise<PostResult>;

export interface JobDeps extends EngineDeps {
  /** Posts to a receiver that a host was routed to; real HTTP in the skins. */
  readonly post: Post;
}

/** What a job runs in. */
export interface WorldRun {
  readonly world: World;
  /** World time when it began. */
  readonly now: Date;
  /** World time by now: an attempt ends when its answer has come, or did not come. */
  readonly time: () => Date;
  readonly deps: JobDeps;
  /** False once the world was restored or reset: the job must not change it any more. */
  readonly isCurrent: () => boolean;
  /**
   * To be called before a wait for a receiver: other jobs go on meanwhile.
   * @returns aborted when world time has moved past the limit
   */
  readonly beginPost: (timeoutMs: number) => AbortSignal;
}

export interface JobRun<Kind extends JobWork['kind'] = JobWork['kind']> extends WorldRun {
  readonly job: Extract<Job, { readonly kind: Kind }>;
}
