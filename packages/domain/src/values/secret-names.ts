/** Names of query parameters, headers and fields whose values are secrets. `secrets` is a check of the health answer. */
export const SECRET_NAME =
  /secret(?!s$)|token|passw|api[-_]?key|authorization|signature|credential|^(?:x-)?(?:sig|key|auth)$/i;
