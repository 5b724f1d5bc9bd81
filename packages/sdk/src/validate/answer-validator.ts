/** An operation, as the OpenAPI document of the service names it. */
export interface AnsweredOperation {
  /** `GET`, `POST`, `PATCH` or `DELETE`. */
  readonly method: string;
  /** Path template, such as `/api/v1/syncs/{id}`. */
  readonly path: string;
}

/**
 * Checks the body of a successful answer. Made by `createValidator` of `@svc/sdk/validate`.
 *
 * @param body the parsed JSON; `undefined` for 204, text for the contract as YAML
 * @returns null when the answer is accepted, else the end of the sentence "The answer to GET /path ..."
 */
export type AnswerValidator = (operation: AnsweredOperation, status: number, body: unknown) => string | null;
