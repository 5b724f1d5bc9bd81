/** The environment variables of `svc`, for the help and docs/cli.md. */
export const ENVIRONMENT_VARIABLES = {
  SVC_API_KEY: 'API key; used unless --profile is given',
  SVC_BASE_URL: 'Address of the service; used unless --base-url or --profile is given',
  SVC_PROFILE: 'Profile to use when SVC_API_KEY is not set',
  SVC_HEADER_PREFIX: "Prefix of the service's own headers, if it is not Service",
  SVC_WEBHOOK_SECRET: 'Signing secret of a webhook, for svc webhooks sign, verify and listen',
  SVC_CONFIG_DIR: 'Folder of the profiles and defaults; svc config path shows it',
  SVC_CACHE_DIR: 'Folder of the cache',
  SVC_LOG: 'Log calls to the service on stderr: debug, info, warn or off; default off',
  HTTPS_PROXY: 'Proxy for https addresses; HTTP_PROXY for http addresses; also in lower case',
  NO_PROXY: 'Hosts that are called without a proxy, separated by commas; this machine never uses one',
  NODE_EXTRA_CA_CERTS: 'File with the certificate of a private authority',
  BROWSER: 'Program that svc open starts instead of the default browser',
  NO_COLOR: 'Switch colours off; FORCE_COLOR=1 switches them on',
} as const;

export type EnvironmentVariable = keyof typeof ENVIRONMENT_VARIABLES;
