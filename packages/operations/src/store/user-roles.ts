/** An admin may do everything, a viewer only read. Apart from the statements, because commands load it. */
export const USER_ROLES = ['admin', 'viewer'] as const;
export type UserRole = (typeof USER_ROLES)[number];
