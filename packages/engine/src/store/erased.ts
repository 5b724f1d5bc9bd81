/** Stands in logs instead of an erased person. No address and no profile URL, so no look-up finds it. */
export const ERASED = 'erased';
