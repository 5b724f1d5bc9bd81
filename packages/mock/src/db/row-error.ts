/** A row that cannot be made, changed or deleted. The message says what to do. */
export class RowError extends Error {
  override readonly name = 'RowError';
}
