import packageJson from '../../../server/package.json' with { type: 'json' };

/** Version of this release: the engine is published as a part of svc-server. */
export const VERSION = packageJson.version;

/** The versions of Node that this release runs on, such as `>=22.19`. */
export const NODE_ENGINES = packageJson.engines.node;
