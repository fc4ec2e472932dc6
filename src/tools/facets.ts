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
  /** It does nothing outside, and what it did is known: a call whose end nobody knows may run again. */
  readonly repeatable?: boolean;
}

/** What the person is asked whom the run serves: in place of a call, or by a call while it runs. */
export interface PersonQuestion {
  /** Markdown. */
  readonly text: string;
  /** At most ten; empty where the answer is free text alone. */
  readonly options: readonly string[];
  /** The answer is a text or a number of his own: one that he writes never stands for the option of that number. */
  readonly wantsText?: boolean;
  /** How long the question stands, in milliseconds. */
  readonly timeout: number;
}
