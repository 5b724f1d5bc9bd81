/**
 * Of `@scalar/api-reference` only its browser bundle is used, which holds everything it needs: its 250 dependencies stay
 * out, and with them a quarter of a gigabyte that nothing here would ever import.
 */
const BUNDLE_ONLY = '@scalar/api-reference';

/**
 * vitest would use msw to replace modules in browsers, which nothing here does. As its optional peer it would be installed a second
 * time, for TypeScript 6, and skipped on a machine whose own Node is older than msw asks for, with packages that others need.
 */
const WITHOUT_MSW = ['vitest', '@vitest/mocker'];

function readPackage(manifest) {
  if (manifest.name === BUNDLE_ONLY) return { ...manifest, dependencies: {} };
  if (!WITHOUT_MSW.includes(manifest.name)) return manifest;
  const { msw: _peer, ...peerDependencies } = manifest.peerDependencies ?? {};
  const { msw: _meta, ...peerDependenciesMeta } = manifest.peerDependenciesMeta ?? {};
  return { ...manifest, peerDependencies, peerDependenciesMeta };
}

module.exports = { hooks: { readPackage } };
