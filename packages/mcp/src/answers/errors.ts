import { AbortError, ApiError, NetworkError, SvcError, TimeoutError } from '@svc/sdk';
import { cleanText } from './fence.ts';

/** A mistake in a call, in words for the caller. */
export class ToolError extends Error {}

/**
 * Says what went wrong and what to do. Messages of errors that neither the service nor this package made are not shown: they may
 * name files or hold values.
 */
export function describeError(error: unknown): string {
  if (error instanceof ToolError) return cleanText(error.message);
  if (error instanceof AbortError) return 'The call was cancelled.';
  if (!(error instanceof SvcError)) return 'The tool failed. The log of the MCP server says why.';
  const parts = [withPeriod(cleanText(error.message)), hintOf(error)];
  if (error instanceof ApiError && error.requestId !== null) parts.push(`Request id: ${cleanText(error.requestId)}.`);
  return parts.filter((part) => part !== '').join(' ');
}

/** Whether the log of the server needs the error, because the caller is not told it. */
export function isUnexpected(error: unknown): boolean {
  return !(error instanceof ToolError || error instanceof SvcError);
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function hintOf(error: SvcError): string {
  if (error instanceof NetworkError || error instanceof TimeoutError) return 'svc_doctor shows what cannot be reached.';
  if (!(error instanceof ApiError)) return '';
  switch (error.status) {
    case 401:
      return 'The API key is not valid: a person has to store another one.';
    case 403:
      return 'svc_status shows what the key may do.';
    case 404:
      return 'Check the id with svc_list or a search; the key may also lack access to its connection.';
    case 429:
      return error.retryAfterSeconds === null
        ? 'Wait a minute, then call again.'
        : `Wait ${error.retryAfterSeconds} s, then call again.`;
    default:
      return error.status >= 500 ? 'The service failed; the same call may succeed later.' : '';
  }
}
