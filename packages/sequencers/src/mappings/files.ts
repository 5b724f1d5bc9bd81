/** Made by `npm run generate` from the JSON files of this folder. */
import type { SourceSecret } from '@svc/domain/syncs/source-secret';

export const READY_MAPPING_FILES: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  amplemarket: () => import('./amplemarket.json', { with: { type: 'json' } }),
  coldreach: () => import('./coldreach.json', { with: { type: 'json' } }),
  emelia: () => import('./emelia.json', { with: { type: 'json' } }),
  klenty: () => import('./klenty.json', { with: { type: 'json' } }),
  mailshake: () => import('./mailshake.json', { with: { type: 'json' } }),
  mailstand: () => import('./mailstand.json', { with: { type: 'json' } }),
  origami: () => import('./origami.json', { with: { type: 'json' } }),
  outboundry: () => import('./outboundry.json', { with: { type: 'json' } }),
  plusvibe: () => import('./plusvibe.json', { with: { type: 'json' } }),
  quickmail: () => import('./quickmail.json', { with: { type: 'json' } }),
  salesforge: () => import('./salesforge.json', { with: { type: 'json' } }),
  saleshandy: () => import('./saleshandy.json', { with: { type: 'json' } }),
  sendpilot: () => import('./sendpilot.json', { with: { type: 'json' } }),
  warmysender: () => import('./warmysender.json', { with: { type: 'json' } }),
  woodpecker: () => import('./woodpecker.json', { with: { type: 'json' } }),
};

/** What posts of these platforms carry to prove their origin. */
export const READY_CHECKS: Readonly<Record<string, Omit<SourceSecret, 'secret'>>> = {
  origami: { check: 'standard-webhooks', name: 'webhook-signature' },
  sendpilot: { check: 'timed-hmac-sha256', name: 'webhook-signature' },
  warmysender: { check: 'timed-hmac-sha256', name: 'x-warmy-signature' },
};
