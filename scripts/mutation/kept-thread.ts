import { type PoolOptions, type PoolRunnerInitializer, type PoolWorker, ThreadsPoolWorker } from 'vitest/node';

type Message = Parameters<PoolWorker['send']>[0];
type Listener = Parameters<PoolWorker['on']>[1];

/** Each use leaves a listener of the test runner's behind. */
const USES = 100;

/** The thread that waits for the next run, and how many it has had. */
let kept: { readonly thread: ThreadsPoolWorker; uses: number } | null = null;

/**
 * A pool whose thread lives on after a run, with all modules loaded: starting one and loading everything again takes longer
 * than most runs. A mutant that acts while modules load (`mutantActivation` "static") gets a thread of its own, new and not
 * used again; every other one acts only while a test runs, and what it did is over with the test, since the rules hold no state.
 */
export const keptThreadPool: PoolRunnerInitializer = {
  name: 'kept-thread',
  createPoolWorker: (options) => new KeptThread(options),
};

/** To be called when no more runs come. */
export async function endKeptThread(): Promise<void> {
  const thread = kept?.thread;
  kept = null;
  await thread?.stop();
}

class KeptThread implements PoolWorker {
  readonly name = keptThreadPool.name;
  readonly #listeners: [event: string, listener: Listener][] = [];
  readonly #keeps: boolean;
  #thread: ThreadsPoolWorker;
  #isIdle = false;

  constructor(options: PoolOptions) {
    this.#keeps = Reflect.get(options.project.getProvidedContext(), 'mutantActivation') !== 'static';
    this.#thread = new ThreadsPoolWorker(options);
  }

  async start(): Promise<void> {
    if (this.#keeps && kept !== null && kept.uses < USES) {
      kept.uses += 1;
      this.#thread = kept.thread;
      return;
    }
    await this.#thread.start();
    if (!this.#keeps) return;
    await endKeptThread();
    const mine = { thread: this.#thread, uses: 1 };
    kept = mine;
    this.#thread.on('exit', () => {
      if (kept === mine) kept = null;
    });
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#thread.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#thread.off(event, listener);
  }

  send(message: Message): void {
    if (message.type !== 'stop' || !this.#keeps) return this.#thread.send(message);
    // Nothing runs any more. It would take leave of its listeners for good, so it is not told.
    this.#isIdle = true;
    const answer = { type: 'stopped', __vitest_worker_response__: true };
    for (const [event, listener] of this.#listeners) if (event === 'message') listener(answer);
  }

  /** Without a stop message before, it hangs or has failed. */
  async stop(): Promise<void> {
    if (this.#isIdle) for (const [event, listener] of this.#listeners) this.#thread.off(event, listener);
    else await this.#thread.stop();
  }

  deserialize(data: unknown): unknown {
    return this.#thread.deserialize(data);
  }
}
