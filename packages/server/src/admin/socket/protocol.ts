/** The protocol between a command and a running server: HTTP and JSON over a Unix socket, one call per connection. */
import * as z from 'zod';
import { ADMIN_ERROR_CODES } from '@svc/operations/implemented/admin-error';

/** For example `/admin/keys/create`. */
export const ADMIN_PREFIX = '/admin/';

/** The caller's version, which must equal the server's because formats may differ between releases. */
export const VERSION_HEADER = 'svc-server-version';

export const adminAnswer = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.enum(ADMIN_ERROR_CODES), message: z.string() }) }),
]);
export type AdminAnswer = z.infer<typeof adminAnswer>;
