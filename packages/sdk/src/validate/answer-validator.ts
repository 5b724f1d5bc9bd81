/** What the core knows of validation: the form of the function that does it. */

/** An operation of the contract, as `openapi.yaml` names it. */
export interface AnsweredOperation {
  /** `GET`, `POST`, `PATCH` or `DELETE`. */
  readonly method: string;
  /** With the names of its parameters: `/api/v1/syncs/{id}`. */
  readonly path: string;
}

/**
 * Looks at the body of a successful answer; `createValidator` of `@svc/sdk/validate` makes one.
 *
 * @param body what the answer's JSON holds; `undefined` for 204, text for the contract as YAML
 * @returns what is wrong with it, as it goes on behind "The answer to GET /path"; null when it may pass
 */
export type AnswerValidator = (operation: AnsweredOperation, status: number, body: unknown) => string | null;
