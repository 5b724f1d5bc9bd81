import { openBox } from '@svc/engine/secrets/secret-box';
import { reencryptSecrets } from '@svc/operations/declared/secrets';
import { handWritten } from './define.ts';
import { configFor } from './options.ts';

export const secrets = [
  handWritten(reencryptSecrets, {
    async complete(input, options) {
      const { encryptionKeys: keys } = configFor(options);
      return keys === undefined ? input : { ...input, firstKey: openBox('SVC_ENCRYPTION_KEY', keys).keyIds[0] };
    },
  }),
];
