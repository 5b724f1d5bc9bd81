import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { CrmOauth } from '@svc/crm';
import { invalidInput } from './admin-error.ts';

/**
 * Returns the address where the users of a Salesforce organization sign in; null for the usual one.
 *
 * @throws AdminError for an address that is not Salesforce's
 */
export function chooseLoginUrl(
  oauth: CrmOauth,
  crm: string,
  { sandbox, myDomain }: { sandbox: boolean; myDomain?: string | undefined },
): string | null {
  if (!sandbox && myDomain === undefined) return null;
  if (crm !== 'SALESFORCE') throw invalidInput('--sandbox and --my-domain are for Salesforce.');
  if (sandbox && myDomain !== undefined) throw invalidInput('Give --sandbox or --my-domain: a My Domain is enough.');
  if (myDomain === undefined) return 'https://test.salesforce.com';
  const text = /^[a-z0-9-]+$/i.test(myDomain) ? `${myDomain}.my.salesforce.com` : myDomain;
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (url?.hostname.endsWith('.lightning.force.com') === true) {
    const [organization] = url.hostname.split('.');
    throw invalidInput(`Nobody signs in at a lightning.force.com address: give --my-domain ${organization}.`);
  }
  const isMyDomain = url !== null && (/\.my\.salesforce\.(com|mil)$/.test(url.hostname) || isLoopbackHost(url.host));
  if (url === null || !isMyDomain || !oauth.isOwnUrl(url.origin)) {
    throw invalidInput('--my-domain must be a name such as acme, or a host such as acme.my.salesforce.com.');
  }
  return url.origin;
}
