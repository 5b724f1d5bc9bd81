/** Returns whether two ids name the same organization: Salesforce has ids of 15 characters, and of 18 with a checksum. */
export function isSameOrganization(crm: string, one: string, other: string): boolean {
  const short = (id: string) => (crm === 'SALESFORCE' ? id.slice(0, 15) : id);
  return short(one) === short(other);
}
