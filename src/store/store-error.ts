/** The data can't be used as it is: the message says why, and what the operator can do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
