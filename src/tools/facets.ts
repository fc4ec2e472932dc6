/** What the category alone does not tell about a call, for the rules of taint and approval. */
export interface CallFacets {
  /** It changes what is remembered or scheduled, rather than reading it. */
  readonly writesMemory?: boolean;
  /** It speaks to another conversation than its own. */
  readonly leavesConversation?: boolean;
  /** The host that it reads from is on the operator's list. */
  readonly trustedHost?: boolean;
  /** The operator's config allows just this call: that it is dangerous by its kind is no reason to ask. */
  readonly allowedByRule?: boolean;
  /** Nothing but a person's look at it keeps this call in its bounds: it is asked for in the mode autonomous, too. */
  readonly unconfined?: boolean;
}

/** What a call asks the person whom the run serves. It is answered rather than executed. */
export interface PersonQuestion {
  /** Markdown. */
  readonly text: string;
  /** At most ten; empty where the answer is free text alone. */
  readonly options: readonly string[];
  /** How long the question stands, in milliseconds. */
  readonly timeout: number;
}
