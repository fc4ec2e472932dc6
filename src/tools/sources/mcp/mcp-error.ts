/** A server cannot be reached, or does not speak the protocol. The message says why, for people and for the model. */
export class McpError extends Error {
  override readonly name = 'McpError';
}
