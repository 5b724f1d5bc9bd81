/** The private key that signs the assertions of a Salesforce app (JWT bearer, RS256). */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { invalidInput } from './admin-error.ts';

const EXAMPLE = 'openssl genrsa -out key.pem 2048';

/** Returns the key of a PEM file as PKCS #8 DER in base64. @throws AdminError that says what the text is instead */
export function readSigningKey(pem: string): string {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: .*ENCRYPTED/m.test(pem)) {
    throw invalidInput(
      'The private key is encrypted with a passphrase, which the service cannot ask for. Decrypt it into another file and give that one: openssl pkey -in key.pem -out decrypted.pem. The service stores it encrypted with its own key.',
    );
  }
  const kind = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem)?.[1] ?? null;
  if (kind !== null && !kind.includes('PRIVATE KEY') && !kind.endsWith('PARAMETERS')) {
    throw invalidInput(
      `The file has a ${kind.toLowerCase()}, which Salesforce needs. This command needs the private key that belongs to it.`,
    );
  }
  const key = parse(() => createPrivateKey(pem));
  if (key === null) {
    throw invalidInput(`The file has no private key in PEM. An RSA key is made with: ${EXAMPLE}`);
  }
  return assertRsa(key).export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** Returns the key as PEM. @throws AdminError */
export function toSigningKeyPem(der: string): string {
  const key = parse(() => createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' }));
  if (key === null) throw invalidInput('The key is not a private key: PKCS #8 DER in base64.');
  return assertRsa(key).export({ format: 'pem', type: 'pkcs8' }).toString();
}

function parse(read: () => KeyObject): KeyObject | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function assertRsa(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'rsa') return key;
  throw invalidInput(
    `The private key is of the type ${key.asymmetricKeyType ?? 'unknown'}, but Salesforce accepts only RSA (RS256). Make one with ${EXAMPLE}, upload its certificate to the app, and give its file.`,
  );
}
