/** The senders of bounces and other notices of mail servers. They are nobody's address. */
const MAIL_SYSTEM =
  /^(?:mailer-daemon|postmaster|mail-daemon|double-bounce|bounces?|no-?reply-?bounces?)(?:[+=-][^@]*)?@/;

/** Whether an address in lower case belongs to a mail server. */
export function isMailSystem(address: string): boolean {
  return MAIL_SYSTEM.test(address);
}
