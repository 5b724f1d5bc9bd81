/** The form of a field as far as the client and its callers reach into it at once. */
type Form = 'string' | 'number' | 'boolean' | 'object' | 'objects';

/**
 * Says what is wrong with a body that is JSON but not that of the service, such as the login page of a network or
 * the API of another product. Not a validation: a later release may add and rename what is not named here.
 */
export function createShapeCheck<Body>(forms: { readonly [Name in keyof Body]?: Form }): (data: Body) => string | null {
  return (data) => {
    if (!isObject(data)) return 'is not an object';
    for (const name in forms) {
      if (!hasForm(data[name], forms[name])) return `has no ${name} as the contract has it`;
    }
    return null;
  };
}

function hasForm(value: unknown, form: Form | undefined): boolean {
  if (form === 'objects') return Array.isArray(value) && value.every(isObject);
  return form === 'object' ? isObject(value) : typeof value === form;
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
