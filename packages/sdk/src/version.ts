/** The package's version, written here because the core imports no JSON; a test holds it against package.json. */
export const SDK_VERSION = '0.1.0';
