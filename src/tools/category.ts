/** What a tool touches. Approval goes by it, whatever the tool's name or source. */
export const toolCategories = [
  'filesystem_read',
  'filesystem_write',
  'network_read',
  'network_write',
  'shell',
  'hardware',
  'memory',
  'messaging',
  'destructive',
] as const;

export type ToolCategory = (typeof toolCategories)[number];

export function isToolCategory(value: unknown): value is ToolCategory {
  return toolCategories.some((known) => known === value);
}

/** Whether a call that may have run can simply run again: it changes nothing outside. */
export function isRepeatable(category: ToolCategory): boolean {
  return category === 'filesystem_read' || category === 'network_read';
}

/** What the category alone does not tell about a call, for the rules of taint and approval. */
export interface CallFacets {
  /** It changes what is remembered or scheduled, rather than reading it. */
  readonly writesMemory?: boolean;
  /** Its answer is the person's own, and not meant for others. By itself, that is so of the files and the shell. */
  readonly private?: boolean | undefined;
  /** The operator says that nobody else can write into its answers: what stands there is as good as listed. `names`: where they are no more than names. */
  readonly trusted?: boolean | 'names' | undefined;
  /** Where its answer comes from, and files that it saves: strangers may have written them. */
  readonly brings?: string | undefined;
  /** false: none of its arguments says where a request goes, so that reading by it carries nothing out. */
  readonly outbound?: boolean | undefined;
  /** Whom or what it reaches: recipients, hosts, paths, ids. Undefined where the tool has no word for that. */
  readonly targets?: readonly string[] | undefined;
  /** All that goes out or is kept by it, whole: what a person has to have written for it to be their own wish. Left out: see `steeringValues`. */
  readonly sends?: readonly string[];
  /** It speaks to another conversation than its own. */
  readonly leavesConversation?: boolean;
  /** The host that it reads from is on the operator's list. */
  readonly trustedHost?: boolean;
  /** The operator's config allows just this call: that it is dangerous by its kind is no reason to ask. */
  readonly allowedByRule?: boolean;
  /** Nothing but a person's look at it keeps this call in its bounds: it is asked for in the mode autonomous, too. */
  readonly unconfined?: boolean;
  /** A rule of the operator's might forbid it if all of it could be read: a person decides, whatever else allows it. */
  readonly unreadable?: boolean;
  /** It does nothing outside, and what it did is known: a call whose end nobody knows may run again. */
  readonly repeatable?: boolean;
}

/** What the person is asked whom the run serves: in place of a call, or by a call while it runs. */
export interface PersonQuestion {
  /** Markdown. */
  readonly text: string;
  /** At most ten; empty where the answer is free text alone. */
  readonly options: readonly string[];
  /** The answer is a text or a number of their own: one that they write never stands for the option of that number. */
  readonly wantsText?: boolean;
  /** How long the question stands, in milliseconds. */
  readonly timeout: number;
}

/**
 * The files that a call executes, or is about, as they are at this moment. What a person approves is the call with just these:
 * they are looked at when the call is judged and again when it runs.
 */
export interface BoundFiles {
  readonly files: readonly BoundFile[];
  /** There are no others: the call can be allowed for good. */
  readonly areAll: boolean;
}

export interface BoundFile {
  /** As people know it, relative to the workspace. */
  readonly path: string;
  /** Changes when the file does. */
  readonly state: string;
  /** What the card says of it. */
  readonly note: string;
}
