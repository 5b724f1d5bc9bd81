/**
 * A mail server on loopback that keeps what it receives: the mailboxes of the demo, and the server of tests, with faults on
 * command. Nothing is delivered anywhere.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

export interface SimulatedMail {
  /** Envelope. */
  sender: string;
  recipients: string[];
  /** As received. */
  source: string;
  /** Unfolded, by name in lower case. */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
  isEncrypted: boolean;
  /** The user who logged in; null without a login. */
  user: string | null;
}

/**
 * How a mail is answered. A number is a code: for the content, or for its sender or recipient. `reset`: the connection breaks
 * before the content. `lost-answer`: it breaks after the mail was kept. `hang`: no answer to the content.
 */
export type MailFault = number | { at: 'sender' | 'recipient'; code: number } | 'reset' | 'lost-answer' | 'hang';

export interface MailSimulatorOptions {
  port?: number;
  /** `starttls` offers it; `implicit` begins with TLS. Default: none. */
  tls?: { mode: 'starttls' | 'implicit'; key: string; cert: string };
  /** Logins that are required. Default: none. */
  login?: { user: string; password: string };
}

export interface MailSimulator {
  readonly port: number;
  /** For `SVC_SMTP_URL`, without a login. */
  readonly url: string;
  /** Returns the kept mails, oldest first. */
  mails(): readonly SimulatedMail[];
  /** Answers the next mails with these faults in order. */
  failNext(...faults: MailFault[]): void;
  /** Answers every mail with this fault; null ends it. */
  failAlways(fault: MailFault | null): void;
  /** Called when a mail is kept; it is answered once the result settles. */
  onMail(listener: ((mail: SimulatedMail) => void | Promise<void>) | null): void;
  /** Deletes everything, and breaks the connections. */
  reset(): void;
  /** Closes the port and breaks the connections; `open` listens on the same port again. */
  close(): Promise<void>;
  open(): Promise<void>;
}

const KEPT_MAX = 500;
const MAIL_BYTES_MAX = 5 * 1024 * 1024;

export async function startMailSimulator(options: MailSimulatorOptions = {}): Promise<MailSimulator> {
  let mails: SimulatedMail[] = [];
  let planned: MailFault[] = [];
  let always: MailFault | null = null;
  let listener: ((mail: SimulatedMail) => void | Promise<void>) | null = null;
  let port = options.port ?? 0;
  let server: SMTPServer | null = null;
  const sockets = new Map<number, Socket>();
  /** The fault of a mail, by its session, from its sender on. */
  const faults = new Map<string, MailFault>();

  const breakConnection = (session: SMTPServerSession) => sockets.get(session.remotePort)?.destroy();

  async function keep(stream: NodeJS.ReadableStream, session: SMTPServerSession): Promise<void> {
    const source = await buffer(stream);
    const parsed = await PostalMime.parse(source);
    const mail: SimulatedMail = {
      sender: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
      recipients: session.envelope.rcptTo.map(({ address }) => address),
      source: source.toString('utf8'),
      headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])),
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html ?? '',
      isEncrypted: session.secure,
      user: typeof session.user === 'string' ? session.user : null,
    };
    mails = [...mails.slice(1 - KEPT_MAX), mail];
    await listener?.(mail);
  }

  async function open(): Promise<void> {
    const made = new SMTPServer({
      ...serverOptions(options),
      onMailFrom(_address, session, callback) {
        const fault = planned.shift() ?? always;
        if (fault === null) faults.delete(session.id);
        else faults.set(session.id, fault);
        if (typeof fault === 'object' && fault?.at === 'sender') callback(refusal(fault.code));
        else callback();
      },
      onRcptTo(_address, session, callback) {
        const fault = faults.get(session.id);
        if (typeof fault === 'object' && fault.at === 'recipient') callback(refusal(fault.code));
        else if (fault === 'reset') breakConnection(session);
        else callback();
      },
      onData(stream, session, callback) {
        const fault = faults.get(session.id);
        if (typeof fault === 'number' || fault === 'hang') {
          stream.on('end', () => {
            if (fault !== 'hang') callback(refusal(fault));
          });
          stream.resume();
          return;
        }
        void answerKept(
          keep(stream, session),
          () => {
            if (fault === 'lost-answer') breakConnection(session);
            else callback();
          },
          callback,
        );
      },
    });
    made.on('error', () => {});
    made.server.on('connection', (socket) => {
      sockets.set(socket.remotePort ?? 0, socket);
      socket.once('close', () => sockets.delete(socket.remotePort ?? 0));
    });
    made.listen(port, '127.0.0.1');
    await once(made.server, 'listening');
    port = (made.server.address() as AddressInfo).port;
    server = made;
  }

  const breakAll = () => {
    for (const socket of sockets.values()) socket.destroy();
    sockets.clear();
  };

  await open();
  return {
    get port() {
      return port;
    },
    get url() {
      return `${options.tls?.mode === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`;
    },
    mails: () => mails,
    failNext: (...next) => {
      planned.push(...next);
    },
    failAlways: (fault) => {
      always = fault;
    },
    onMail: (next) => {
      listener = next;
    },
    reset() {
      mails = [];
      planned = [];
      always = null;
      listener = null;
      breakAll();
    },
    async close() {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
      breakAll();
      await closed;
    },
    open,
  };
}

function serverOptions({ tls, login }: MailSimulatorOptions): SMTPServerOptions {
  const disabled = [...(login === undefined ? ['AUTH'] : []), ...(tls?.mode === 'starttls' ? [] : ['STARTTLS'])];
  return {
    name: 'mail.simulator.invalid',
    size: MAIL_BYTES_MAX,
    disabledCommands: disabled,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    ...(tls === undefined ? {} : { secure: tls.mode === 'implicit', key: tls.key, cert: tls.cert }),
    onAuth({ username, password }, _session, callback) {
      if (login !== undefined && username === login.user && password === login.password)
        callback(null, { user: username });
      else callback(refusal(535));
    },
  };
}

/** Answers once a mail is kept; a mail that cannot be read is refused. */
async function answerKept(kept: Promise<void>, accept: () => void, refuse: (error: Error) => void): Promise<void> {
  const error = await kept.then(
    () => null,
    () => refusal(554),
  );
  if (error === null) accept();
  else refuse(error);
}

function refusal(code: number): Error {
  return Object.assign(new Error(`simulated ${code}`), { responseCode: code });
}
