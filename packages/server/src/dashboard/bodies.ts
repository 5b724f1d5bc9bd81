/** Bodies of the session routes. */
import type { Request, RequestHandler } from 'express';
import express from 'express';
import * as z from 'zod';
import { text } from '@svc/operations/declared/fields';
import { DashboardError } from './errors.ts';

const BODY_BYTES_MAX = 16 * 1024;

export const readJson: RequestHandler = express.json({ limit: BODY_BYTES_MAX });

const password = z.string('must be text').min(1, 'must not be empty');

export const LINK = z.strictObject({ token: z.string('must be text').max(200), password: password.optional() });
export const SIGN_IN = z.strictObject({ email: text(254), password });
export const CONFIRMATION = z.strictObject({ password });
export const NEW_PASSWORD = z.strictObject({ current: password.optional(), password });

/** @throws DashboardError when the body has another shape; the message repeats no value */
export function parseBody<Schema extends z.ZodType>(schema: Schema, request: Request): z.output<Schema> {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, code, message }) => {
    // The message would repeat the names of unknown fields, which may be anything.
    const said = code === 'unrecognized_keys' ? 'has unknown fields' : message;
    return `${path.map(String).join('.') || 'body'}: ${said}`;
  });
  throw new DashboardError(400, 'invalid_input', problems.join('; '));
}
