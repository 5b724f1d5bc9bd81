import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import type { CrmSourceConfig } from '../../src/port/types.ts';

/** A source with every option off. */
export const PLAIN_SOURCE: CrmSourceConfig = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };
