/** The objects of Salesforce that a source can create people as. Without one, `Contact`. */
export const SALESFORCE_OBJECT_TYPES = ['Contact', 'Lead'] as const;
export type SalesforceObjectType = (typeof SALESFORCE_OBJECT_TYPES)[number];
