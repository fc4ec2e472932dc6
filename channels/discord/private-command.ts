/** A slash command, as what answers it names it: who gave it, and which one it is. */
export interface PrivateCommand {
  readonly userId: string;
  readonly interactionId: string;
}

/** The name under which a slash command is answered in private. */
export function privateName({ userId, interactionId }: PrivateCommand): string {
  return `${userId}:${interactionId}`;
}

/** The slash command with this name. Undefined if it is no such name. */
export function commandNamed(name: string): PrivateCommand | undefined {
  const [, userId, interactionId] = /^(\d{1,20}):(\d{1,20})$/.exec(name) ?? [];
  return userId === undefined || interactionId === undefined ? undefined : { userId, interactionId };
}
