/**
 * Of `@scalar/api-reference` only its browser bundle is used, which holds everything it needs: its 250 dependencies stay
 * out, and with them a quarter of a gigabyte that nothing here would ever import.
 */
const BUNDLE_ONLY = '@scalar/api-reference';

module.exports = {
  hooks: {
    readPackage: (manifest) => (manifest.name === BUNDLE_ONLY ? { ...manifest, dependencies: {} } : manifest),
  },
};
