/** What a person's lasting rule may be about. Compared letter by letter: another case, or letters that look alike, are another target. */
export type RuleTarget =
  /** The real path in the workspace, with all links followed. */
  | { readonly of: 'file'; readonly path: string }
  /** All of the command: plain words with single spaces. */
  | { readonly of: 'command'; readonly command: string }
  /** As an origin, with its port if that is not the usual one: `https://docs.example.com`. */
  | { readonly of: 'host'; readonly host: string };
