import type { Answer } from '../http/answer.ts';

/** A refusal in the two forms that Salesforce has: of a whole call, and of one record of a collection. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly errorCode: string;
  readonly fields: readonly string[];
  readonly extras: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    errorCode: string,
    message: string,
    fields: readonly string[] = [],
    extras: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
    this.fields = fields;
    this.extras = extras;
  }

  toAnswer(): Answer {
    const { message, errorCode, fields, extras } = this;
    return {
      status: this.status,
      body: [{ ...extras, message, errorCode, ...(fields.length === 0 ? {} : { fields }) }],
    };
  }

  /**
   * The record's result in a collection, which names neither the matches of a duplicate rule nor an HTTP status.
   *
   * @param hasExtras whether it names them nevertheless
   */
  toResult(hasExtras = false): { success: false; errors: unknown[] } {
    const { errorCode: statusCode, message, fields, extras } = this;
    return { success: false, errors: [{ statusCode, message, fields, ...(hasExtras ? extras : {}) }] };
  }
}

export function invalidField(name: string, objectType: string): Refusal {
  return new Refusal(400, 'INVALID_FIELD', `No such column '${name}' on sobject of type ${objectType}`);
}

export function notFound(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'The requested resource does not exist');
}
