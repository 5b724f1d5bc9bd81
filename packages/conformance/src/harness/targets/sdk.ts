/** The SDK, and its own list of how each operation is called. */
export { createClient } from '@svc/sdk';
export { everyOperation } from '../../../../sdk/test/every-operation.ts';
