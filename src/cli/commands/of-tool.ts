/**
 * Whether the program was started by a command of a tool. No boundary: a command without a sandbox can do what its user can. But
 * no tool should be the one that says yes, or speaks as a person.
 */
export function isOfTool({ KEYTURN_CALL, KEYTURN_OWNER }: NodeJS.ProcessEnv): boolean {
  return KEYTURN_CALL !== undefined || KEYTURN_OWNER !== undefined;
}
