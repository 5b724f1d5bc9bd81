/** Large mail hosts, whose addresses do not identify an employer. A missing one causes a wrong company record. */
const MAILBOX_HOSTS = new Set(
  (
    'gmail.com googlemail.com outlook.com hotmail.com hotmail.co.uk hotmail.fr live.com msn.com yahoo.com yahoo.co.uk yahoo.de ' +
    'yahoo.fr yahoo.co.jp ymail.com icloud.com me.com mac.com aol.com gmx.de gmx.net gmx.at gmx.ch web.de t-online.de ' +
    'freenet.de proton.me protonmail.com pm.me tutanota.com zoho.com mail.com mail.ru yandex.ru yandex.com qq.com 163.com ' +
    '126.com naver.com libero.it orange.fr wanadoo.fr free.fr laposte.net btinternet.com comcast.net verizon.net hey.com fastmail.com'
  ).split(' '),
);

/**
 * Returns the domain of the contact's company: the one from the sequencer, else the address's own; null for free mail
 * hosts.
 */
export function toBusinessDomain(companyDomain: string | null, email: string | null): string | null {
  const domain = companyDomain ?? email?.slice(email.lastIndexOf('@') + 1) ?? '';
  return domain === '' || MAILBOX_HOSTS.has(domain) ? null : domain;
}
