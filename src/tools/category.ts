/** What a tool touches. Approval depends on it, not on the tool's name or source. */
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

/** Whether a call that may have run can run again: it changes nothing outside. */
export function isRepeatable(category: ToolCategory): boolean {
  return category === 'filesystem_read' || category === 'network_read';
}

/** What the rules of taint and approval know about a call besides its category. */
export interface CallFacets {
  /** It changes memory or schedules, rather than only reading them. */
  readonly writesMemory?: boolean;
  /** Its answer is the person's own, not for others. Default: true for the files and the shell. */
  readonly private?: boolean | undefined;
  /** The operator vouches for its answers: they do not taint. `names`: only if an answer is a list of names. */
  readonly trusted?: boolean | 'names' | undefined;
  /** The source of its answer, and of files that it saves, if strangers may have written them. */
  readonly brings?: string | undefined;
  /** False: no argument controls where a request goes, so reading with it leaks nothing. */
  readonly outbound?: boolean | undefined;
  /** The recipients, hosts, paths or ids that it reaches. Undefined if the tool declares none. */
  readonly targets?: readonly string[] | undefined;
  /** All that it sends or stores: a person's own wish if they wrote all of it. Default: `steeringValues`. */
  readonly sends?: readonly string[];
  /** It speaks to another conversation. */
  readonly leavesConversation?: boolean;
  /** It reads from a host on the operator's list. */
  readonly trustedHost?: boolean;
  /** An operator's rule allows this very call: a dangerous kind is no reason to ask. */
  readonly allowedByRule?: boolean;
  /** Only a person's review keeps this call in bounds: it needs approval in autonomous mode, too. */
  readonly unconfined?: boolean;
  /** An operator's rule might forbid it if all of it were readable: a person decides, whatever else allows it. */
  readonly unreadable?: boolean;
  /** It does nothing outside, and its effects are known: a call with an unknown outcome may run again. */
  readonly repeatable?: boolean;
}

/** A question to the person that the run serves: in place of a call, or while a call runs. */
export interface PersonQuestion {
  /** Markdown. */
  readonly text: string;
  /** At most ten; empty if the answer is free text. */
  readonly options: readonly string[];
  /** The answer is free text or a number: a typed number never selects an option. */
  readonly wantsText?: boolean;
  /** In ms. */
  readonly timeout: number;
}

/**
 * The files that a call executes or is about, in their present state. An approval covers only these: they are checked
 * when the call is judged, and again when it runs.
 */
export interface BoundFiles {
  readonly files: readonly BoundFile[];
  /** There are no others, so the call can be allowed permanently. */
  readonly areAll: boolean;
}

export interface BoundFile {
  /** As people see it, relative to the workspace. */
  readonly path: string;
  /** Changes when the file does. */
  readonly state: string;
  /** For the card. */
  readonly note: string;
}
