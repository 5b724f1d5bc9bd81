/** `@svc/server` as a library: starts the service inside another process, for tests or embedding. */
export { type Clock, createManualClock, type ManualClock, systemClock } from '@svc/engine/runtime/clock';
export { type Config, ConfigError, readConfig } from '@svc/engine/config/config';
export { bindServer, type BoundServer, ListenError } from '../http/listen.ts';
export { type RunningServer, type ServerParts, startServer } from './server.ts';
