/** Made by `npm run generate` from the JSON files of this folder. */
export const READY_MAPPING_FILES: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  woodpecker: () => import('./woodpecker.json', { with: { type: 'json' } }),
};
