/**
 * Sends mails through the operator's mail server.
 *
 * Its address is the operator's setting, not a customer's, so the guard of outbound calls does not apply to it: a mail server
 * usually has a private address. A customer chooses the recipient only.
 */
import { type MailAddress, toHeaderText } from '@svc/domain/relays/mail-address';
import type { RelayMail } from '@svc/domain/relays/relay-mail';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { inChildSpan } from '../runtime/tracing.ts';
import type { MailConfig, SmtpServer } from '../config/mail-config.ts';

/** Mails that are sent at the same time. */
export const MAIL_CONNECTIONS = 4;

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest time without any byte. Servers may take long to accept content, because they scan it. */
const IDLE_TIMEOUT_MS = 60_000;
/** Below the idle timeouts of common servers, so that a kept connection is seldom one that the server has closed. */
const KEPT_MS = 10_000;

export interface MailResult {
  /** Null when no answer came. */
  smtpCode: number | null;
  /** Null when the mail server accepted the mail. */
  error: string | null;
  /** Whether the code answers the mail itself, not the session. */
  isAboutMail: boolean;
  /** Whether the content was handed over completely. */
  wasHandedOver: boolean;
}

export interface MailSender {
  readonly from: MailAddress;
  /** Never rejects. */
  send(mail: RelayMail): Promise<MailResult>;
  /** Closes kept connections. */
  close(): void;
}

/**
 * Loads the mail library at the first mail.
 *
 * @param options.ca certificates that are trusted instead of the system's
 * @param options.idleTimeoutMs how long to wait for any byte. Default: 60,000
 */
export function createMailSender(
  { smtp, from }: MailConfig,
  options: { ca?: string; idleTimeoutMs?: number | undefined } = {},
): MailSender {
  /** Message ids of the mails whose content was read to its end, which happens once the server asks for it. */
  const handedOver = new Set<string>();
  let transport: Transporter | null = null;
  const connect = async () => {
    const { createTransport } = await import('nodemailer');
    if (transport !== null) return transport;
    transport = createTransport({
      host: smtp.host,
      port: smtp.port,
      secure: smtp.tls === 'implicit',
      requireTLS: smtp.tls === 'starttls',
      ignoreTLS: smtp.tls === 'none',
      ...(smtp.login === null ? {} : { auth: { user: smtp.login.user, pass: smtp.login.password } }),
      ...(options.ca === undefined ? {} : { tls: { ca: options.ca } }),
      pool: true,
      maxConnections: MAIL_CONNECTIONS,
      // Otherwise the pool would repeat a mail by itself when its connection breaks.
      maxRequeues: 0,
      idleTimeout: KEPT_MS,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    });
    transport.use('stream', ({ message, data }, done) => {
      const createReadStream = message.createReadStream.bind(message);
      message.createReadStream = (streamOptions) =>
        createReadStream(streamOptions).once('end', () => handedOver.add(String(data.messageId)));
      done();
    });
    return transport;
  };
  return {
    from,
    async send(mail) {
      const { messageId } = mail;
      try {
        const { response } = await inChildSpan({ name: 'mail', kind: 'client' }, async () =>
          (await connect()).sendMail(toOptions(mail, from)),
        );
        const code = /^\d{3}/.exec(typeof response === 'string' ? response : '')?.[0];
        return { smtpCode: Number(code ?? 250), error: null, isAboutMail: true, wasHandedOver: true };
      } catch (error) {
        return { ...describeFailure(error, secretsOf(smtp)), wasHandedOver: handedOver.has(messageId) };
      } finally {
        handedOver.delete(messageId);
      }
    },
    close: () => transport?.close(),
  };
}

function toOptions(mail: RelayMail, { address }: MailAddress): SendMailOptions {
  return {
    envelope: { from: address, to: [mail.to.address] },
    from: mail.from,
    to: mail.to,
    ...(mail.replyTo === null ? {} : { replyTo: mail.replyTo }),
    subject: mail.subject,
    messageId: mail.messageId,
    ...(mail.inReplyTo === null ? {} : { inReplyTo: mail.inReplyTo }),
    ...(mail.references.length === 0 ? {} : { references: [...mail.references] }),
    headers: { ...mail.headers },
    text: mail.text,
    html: mail.html,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const ERROR_MAX = 300;

/** The password as a mail server may repeat it: as it is, and as it was sent. */
function secretsOf({ login }: SmtpServer): string[] {
  if (login === null) return [];
  const { user, password } = login;
  return [`\0${user}\0${password}`, password].map((text) => Buffer.from(text).toString('base64')).concat(password);
}

function describeFailure(error: unknown, secrets: readonly string[]): Omit<MailResult, 'wasHandedOver'> {
  const fields: Partial<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const { responseCode, command } = fields;
  const text = error instanceof Error ? error.message : String(error);
  const message = secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
  return {
    smtpCode: typeof responseCode === 'number' ? responseCode : null,
    error: toHeaderText(message, ERROR_MAX) || 'The mail server gave no reason',
    isAboutMail: typeof command === 'string' && /^(?:MAIL|RCPT|DATA)/.test(command),
  };
}
