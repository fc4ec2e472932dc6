/** Who works on what a call hands over. */
export type SubRunWorker =
  /** One of the agents that the config has. */
  | { readonly type: 'agent'; readonly name: string }
  /** The conversation's own model, with the words of a composed tool, and at most the tools that its author had. */
  | { readonly type: 'composed'; readonly name: string; readonly only: readonly string[] };

/** A run of its own that a call asks for. What it comes to is the call's result. */
export interface SubRunRequest {
  readonly worker: SubRunWorker;
  /** A few words for people. */
  readonly title: string;
  /** What is to be done, as the worker reads it. */
  readonly task: string;
  /** The run that asks does not wait for it: the result follows. */
  readonly inBackground: boolean;
  /** `json`: an object with `success`, `summary`, `subtaskId` and, where it failed, `error`. */
  readonly form: 'text' | 'json';
}

/** Where a run stands that another run has begun. */
export interface SubRunScope {
  /** 1 where a person's run has begun it. */
  readonly depth: number;
  /** Patterns of the tools that it may use: each list has to have one that fits. */
  readonly only: readonly (readonly string[])[];
}
