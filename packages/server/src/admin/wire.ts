/** What the command and a running server say to each other: HTTP and JSON on a Unix socket, one call a connection. */
import * as z from 'zod';
import { ADMIN_ERROR_CODES } from '../services/admin/admin-error.ts';

/** `/admin/keys/create` */
export const ADMIN_PREFIX = '/admin/';

/** Holds the caller's version: shapes may differ between releases, so both sides must be of one. */
export const VERSION_HEADER = 'svc-server-version';

/** Fifty templates of a relay fit many times over. */
export const ADMIN_BODY_BYTES_MAX = 4 * 1024 * 1024;

export const adminAnswer = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.enum(ADMIN_ERROR_CODES), message: z.string() }) }),
]);
export type AdminAnswer = z.infer<typeof adminAnswer>;
