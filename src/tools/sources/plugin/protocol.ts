/** What plugins are told that Keyturn speaks with them. It grows when something changes that they rely on. */
export const protocolVersion = 1;

/** What a plugin is asked that the config names as a hook. What it answers is the result itself. */
export type HookMethod = 'before_tool_call' | 'after_tool_call';
