/** `@svc/server` as a library: starts the service inside another process, for tests or embedding. */
export { type Clock, createManualClock, type ManualClock, systemClock } from '../runtime/clock.ts';
export { type Config, ConfigError, readConfig } from '../config/config.ts';
export { bindServer, type BoundServer, ListenError } from '../http/listen.ts';
export { type RunningServer, type ServerParts, startServer } from './server.ts';
