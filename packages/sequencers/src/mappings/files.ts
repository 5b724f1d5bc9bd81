/** Made by `npm run generate` from the JSON files of this folder. */
export const READY_MAPPING_FILES: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  coldreach: () => import('./coldreach.json', { with: { type: 'json' } }),
  emelia: () => import('./emelia.json', { with: { type: 'json' } }),
  mailshake: () => import('./mailshake.json', { with: { type: 'json' } }),
  outboundry: () => import('./outboundry.json', { with: { type: 'json' } }),
  plusvibe: () => import('./plusvibe.json', { with: { type: 'json' } }),
  quickmail: () => import('./quickmail.json', { with: { type: 'json' } }),
  salesforge: () => import('./salesforge.json', { with: { type: 'json' } }),
  saleshandy: () => import('./saleshandy.json', { with: { type: 'json' } }),
  sendpilot: () => import('./sendpilot.json', { with: { type: 'json' } }),
  warmysender: () => import('./warmysender.json', { with: { type: 'json' } }),
  woodpecker: () => import('./woodpecker.json', { with: { type: 'json' } }),
};
