/* The tools of a person in one of their conversations, and calls that they make by hand. */

/** `GET /page/tools?conversation=ID`. */
export interface ToolsShown {
  readonly tools: readonly ToolShown[];
  /** The builtin tools that are not offered there. */
  readonly off: readonly string[];
  /** The mode of that conversation: what may be done there at all. */
  readonly mode: 'observer' | 'assistant' | 'autonomous';
}

export interface ToolShown {
  readonly name: string;
  readonly title: string;
  readonly category: string;
  readonly categoryName: string;
  /** Where it comes from, for a person. */
  readonly source: string;
  readonly sourceType: string;
  /** `off`: the mode does not permit it. */
  readonly permission: 'asks' | 'never' | 'off';
  /** Why it asks, in half a sentence. What has been read before may make others ask, too. */
  readonly reason?: string | undefined;
  /** As the model reads it. */
  readonly description: string;
}

/** `GET /page/tools/NAME?conversation=ID`. */
export interface ToolDetails extends ToolShown {
  /** The JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** `POST /page/tools/NAME/check` and `/call` with `{arguments}`. */
export interface CheckedArguments {
  readonly faults: readonly ArgumentFault[];
}

export interface ArgumentFault {
  /** Where in the arguments: `['files', '0', 'path']`. Empty: about all of them. */
  readonly path: readonly string[];
  readonly message: string;
}

/** The call goes on in a conversation of its own. */
export interface HandCallBegun {
  readonly conversationId: string;
  readonly sessionId: string;
}
