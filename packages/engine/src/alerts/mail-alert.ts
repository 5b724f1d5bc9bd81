/** Mails an alert through the operator's mail server; one attempt per run. */
import type { AlertVerdict } from '@svc/domain/alerts/alert-answer';
import { toAlertMail } from '@svc/domain/alerts/alert-forms';
import { parseMailAddress } from '@svc/domain/relays/mail-address';
import type { Context } from '../context.ts';
import type { JobHandler } from '../queue/runner.ts';
import { createAlertHandler } from './alert-messages.ts';

export function createMailAlertHandler(ctx: Context): JobHandler {
  return createAlertHandler(ctx, async (message, alert): Promise<AlertVerdict> => {
    const to = parseMailAddress(message.channel.place);
    if (to === null) return { result: 'failed', error: 'The channel has no valid mail address' };
    if (ctx.mail === null)
      return { result: 'retry', error: 'No mail server is configured: set SVC_SMTP_URL and SVC_MAIL_FROM', waitMs: 0 };
    const mail = toAlertMail(alert, { ...message, messageId: message.id }, { from: ctx.mail.from, to });
    const { smtpCode, error, isAboutMail } = await ctx.mail.send(mail);
    if (error === null) return { result: 'sent' };
    const isFinal = isAboutMail && smtpCode !== null && smtpCode >= 500;
    return isFinal ? { result: 'failed', error } : { result: 'retry', error, waitMs: 0 };
  });
}
