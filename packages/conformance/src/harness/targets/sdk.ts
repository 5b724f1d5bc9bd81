/** The SDK, and its list of one call per operation. */
export { createClient } from '@svc/sdk';
export { everyOperation } from '../../../../sdk/test/every-operation.ts';
