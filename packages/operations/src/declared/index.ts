/** All operations, in the order in which a new account needs them. */
import type * as z from 'zod';
import { accounts } from './accounts.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { blocklists } from './blocklists.ts';
import { capabilities } from './capabilities.ts';
import { config } from './config.ts';
import { connections } from './connections.ts';
import type { ResultOf } from './declare.ts';
import { destinations } from './destinations.ts';
import { doctor } from './doctor.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { persons } from './persons.ts';
import { relays } from './relays.ts';
import { requests } from './requests.ts';
import { secrets } from './secrets.ts';
import { sequencerKeys } from './sequencer-keys.ts';
import { sources } from './sources.ts';
import { users } from './users.ts';

export const NOUNS = [
  accounts,
  connections,
  sources,
  requests,
  keys,
  destinations,
  relays,
  sequencerKeys,
  blocklists,
  alerts,
  capabilities,
  config,
  jobs,
  secrets,
  persons,
  users,
  audit,
  backup,
  doctor,
] as const;

type Declared = (typeof NOUNS)[number]['operations'][number];
export type AdminOperationName = Declared['name'];
type Named<Name extends AdminOperationName> = Extract<Declared, { readonly name: Name }>;
export type AdminInput<Name extends AdminOperationName> = z.input<Named<Name>['input']>;
export type AdminResult<Name extends AdminOperationName> = ResultOf<Named<Name>>;
